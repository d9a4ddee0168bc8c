import { expect, test } from 'vitest'
import { type Running, nextTurns, type Waiting } from '../../../src/webhooks/turns.ts'

const LIMITS = {
  free: { fast: 100, slow: 100 },
  all: { fast: 100, slow: 100 },
  perWebhook: 3,
  perSite: 39,
  random: () => 0,
}

const waiting = (webhook: string, changes: Partial<Waiting> = {}): Waiting => ({
  webhook,
  wallet: `wallet of ${webhook}`,
  network: `network of ${webhook}`,
  site: `site of ${webhook}`,
  fast: true,
  single: false,
  due: ['1', '2', '3', '4'].map((n) => `${webhook}${n}`),
  ...changes,
})
const running = (webhook: string, attempts: number, changes: Partial<Running> = {}): Running => ({
  ...waiting(webhook),
  attempts,
  hangs: false,
  ...changes,
})
const started = (...args: Parameters<typeof nextTurns>): string[] =>
  nextTurns(...args).started.map(({ delivery }) => delivery)

test('a webhook gets the attempts that it has left, its oldest deliveries first', () => {
  expect(nextTurns([], [waiting('a')], LIMITS)).toMatchObject({ waits: false })
  expect(started([], [waiting('a')], LIMITS)).toEqual(['a1', 'a2', 'a3'])
  expect(started([running('a', 2)], [waiting('a')], LIMITS)).toEqual(['a1'])
  expect(started([running('a', 3)], [waiting('a')], LIMITS)).toEqual([])
})

test('a webhook that failed last gets one attempt at a time', () => {
  expect(started([], [waiting('a', { single: true })], LIMITS)).toEqual(['a1'])
  expect(started([running('a', 1)], [waiting('a', { single: true })], LIMITS)).toEqual([])
})

test('networks take turns, and attempts in flight count', () => {
  const limits = { ...LIMITS, free: { fast: 4, slow: 0 } }
  expect(started([], [waiting('a'), waiting('b')], limits)).toEqual(['a1', 'b1', 'a2', 'b2'])
  expect(started([running('a', 2)], [waiting('a'), waiting('b')], limits)).toEqual(['b1', 'b2', 'a1', 'b3'])
  expect(nextTurns([], [waiting('a'), waiting('b')], limits).waits).toBe(true)
})

test('in a network wallets take turns, and in a wallet webhooks', () => {
  const network = 'shared'
  const one = [waiting('a', { network, wallet: 'w' }), waiting('b', { network, wallet: 'w' })]
  const all = [...one, waiting('c', { network })]
  expect(started([], all, { ...LIMITS, free: { fast: 4, slow: 0 } })).toEqual(['a1', 'c1', 'b1', 'c2'])
})

test('the n-th attempt of a network leaves n/4 slots free, and at most a quarter of the lane', () => {
  const many = Array.from({ length: 20 }, (_, n) => waiting(`${n}-`, { network: 'busy' }))
  const inLane = (slots: number, free: number): number =>
    started([], many, { ...LIMITS, free: { fast: free, slow: 0 }, all: { fast: slots, slow: 0 } }).length
  expect(inLane(56, 56)).toBe(45)
  expect(inLane(16, 56)).toBe(52)
})

test('a site has its limit over all networks, and one network leaves a part of it', () => {
  const site = 'shared'
  const limits = { ...LIMITS, perWebhook: 1, perSite: 8 }
  const of = (networks: (n: number) => string) =>
    Array.from({ length: 20 }, (_, n) => waiting(`${n}-`, { site, network: networks(n) }))
  expect(started([], of(String), limits)).toHaveLength(8)
  expect(
    started(
      [],
      of(() => 'one'),
      limits,
    ),
  ).toHaveLength(7)
  expect(started([running('x', 5, { site })], of(String), limits)).toHaveLength(3)
  // Also over several claims: what one network has in flight counts.
  const own = running('x', 6, { site, network: 'one' })
  for (const [network, count] of [
    ['one', 1],
    ['two', 2],
  ] as const)
    expect(
      started(
        [own],
        of(() => network),
        limits,
      ),
    ).toHaveLength(count)
})

test('slow webhooks, and those with an attempt that hangs, use the slow lane', () => {
  const lanes = (...args: Parameters<typeof nextTurns>) =>
    nextTurns(...args).started.map(({ delivery, lane }) => [delivery, lane])
  const due = ['1']
  const all = [waiting('a', { due }), waiting('b', { due, fast: false }), waiting('c', { due })]
  expect(lanes([running('c', 1, { hangs: true })], all, LIMITS)).toEqual([
    ['1', 'fast'],
    ['1', 'slow'],
    ['1', 'slow'],
  ])
  expect(started([], all, { ...LIMITS, free: { fast: 100, slow: 0 } })).toHaveLength(2)
})
