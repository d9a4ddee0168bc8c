import * as fc from '../../support/property.ts'
import { expect, test } from 'vitest'
import { clientNetwork } from '../../../src/domain/client-network.ts'
import {
  countRequest,
  createRateLimits,
  RATE_LIMIT_KINDS,
  type RateLimitKind,
  type RateLimitNumbers,
} from '../../../src/platform/rate-limits/rate-limits.ts'

const MINUTE = 60_000

test('at any pace, at most the limit plus what the time gives back is allowed', () => {
  const pace = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 50, maxLength: 400 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 120 }), pace, (limit, gaps) => {
      let now = 1_000_000
      let arrival: number | undefined
      const allowed: number[] = []
      for (const gap of gaps) {
        now += gap
        const counted = countRequest(arrival, now, limit)
        arrival = counted.arrival
        if (counted.state.allowed) allowed.push(now)
        // The limit, plus what a span of time gives back: span x limit / minute.
        for (const since of [allowed[0] ?? now, allowed.at(-10) ?? now]) {
          const inSpan = allowed.filter((at) => at >= since).length
          expect(inSpan).toBeLessThanOrEqual(limit + ((now - since) * limit) / MINUTE + 1e-3)
        }
      }
    }),
    { numRuns: 200 },
  )
})

test('a burst of the whole limit is allowed; the next request is refused, and allowed after the reported time', () => {
  const limit = 7
  let arrival: number | undefined
  const states = Array.from({ length: 8 }, () => {
    const counted = countRequest(arrival, 5_000, limit)
    arrival = counted.arrival
    return counted.state
  })
  expect(states.map((state) => state.remaining)).toEqual([6, 5, 4, 3, 2, 1, 0, 0])
  expect(states.map((state) => state.allowed)).toEqual([...Array(7).fill(true), false])
  const wait = states[7]!.resetSeconds
  expect(wait).toBe(9)
  expect(countRequest(arrival, 5_000 + wait * 1000, limit).state).toMatchObject({
    allowed: true,
    remaining: 0,
  })
})

test('a refused request of several units is allowed after the reported time and not before; fewer units stay available', () => {
  const [now, limit] = [5_000, 60]
  const { arrival } = countRequest(undefined, now, limit, 57)
  const refused = countRequest(arrival, now, limit, 5)
  expect(refused.state).toEqual({ limit, remaining: 3, resetSeconds: 2, allowed: false })
  const allowedAt = (ms: number, units: number): boolean =>
    countRequest(refused.arrival, now + ms, limit, units).state.allowed
  expect([allowedAt(1_999, 5), allowedAt(2_000, 5), allowedAt(0, 3), allowedAt(0, 4)]).toEqual([
    false,
    true,
    true,
    false,
  ])
})

/** `sharedCounter` is a fake for a database that has no free connection: it never answers. */
function limitsOf(limits: RateLimitNumbers | null) {
  const asked: string[] = []
  const sharedCounter = (kind: string) => {
    asked.push(kind)
    return new Promise<never>(() => {})
  }
  return { asked, ...createRateLimits({ sharedCounter, clock: { now: () => 5_000 }, limits }) }
}

const ALL_TWO = Object.fromEntries(Object.keys(RATE_LIMIT_KINDS).map((kind) => [kind, 2])) as Record<
  RateLimitKind,
  number
>
const CLIENT = '203.0.113.7'

test('a kind that all processes count waits for the database, but not once this process refuses', () => {
  const limits = limitsOf(ALL_TWO)
  for (const _ of [1, 2]) expect(limits.count('signIn', CLIENT)).toBeInstanceOf(Promise)
  expect(() => limits.count('signIn', CLIENT)).toThrow('Too many requests')
  expect(limits.asked).toEqual(['signIn', 'signIn'])
})

test('a kind that each process counts for itself never asks the database', () => {
  const limits = limitsOf(ALL_TWO)
  for (const _ of [1, 2]) expect(limits.count('submit', CLIENT)).toBeUndefined()
  expect(() => limits.count('submit', CLIENT)).toThrow('Too many requests')
  expect(limits.asked).toEqual([])
})

test('work that was done is charged above the limit, at most a minute ahead, with the time until within it', () => {
  const limits = limitsOf(ALL_TWO)
  expect([1, 1, 1, 2, 2].map((units) => limits.chargeUsed(CLIENT, units))).toEqual([
    0, 0, 30_000, 60_000, 60_000,
  ])
  expect(() => limits.charge(CLIENT, 1)).toThrow('Too many requests')
})

test('without limits nothing is counted', () => {
  const limits = limitsOf(null)
  for (const _ of [1, 2, 3]) {
    expect(limits.count('signIn', CLIENT)).toBeUndefined()
    expect(limits.chargeUsed(CLIENT, 1_000)).toBe(0)
    limits.charge(CLIENT, 1_000)
  }
  expect(limits.asked).toEqual([])
})

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['203.0.113.7:41234', '203.0.113.7'],
  ['[2001:db8:1:2::1]:41234', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::1]', '2001:db8:1:2::/64'],
  ['[::ffff:203.0.113.7]:41234', '203.0.113.7'],
  ['unknown', 'unknown'],
  ['_hidden'.repeat(400), 'unknown'],
  ['', ''],
])('the client address %s is counted as %s', (ip, network) => {
  expect(clientNetwork(ip)).toBe(network)
})

test('all addresses of one /64 are one client; addresses of two are two clients', () => {
  const half = fc.array(fc.integer({ min: 0, max: 0xff_ff }), { minLength: 4, maxLength: 4 })
  const text = (groups: number[]): string => groups.map((group) => group.toString(16)).join(':')
  fc.assert(
    fc.property(half, half, half, half, (prefix, other, low, high) => {
      const [one, two] = [clientNetwork(text([...prefix, ...low])), clientNetwork(text([...prefix, ...high]))]
      // The prefix ::ffff:0:0/96 would be IPv4.
      fc.pre(prefix.some((group) => group !== 0) && other.some((group) => group !== 0))
      expect(one).toBe(two)
      expect(clientNetwork(text([...other, ...low])) === one).toBe(text(other) === text(prefix))
    }),
  )
})
