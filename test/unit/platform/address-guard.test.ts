import * as fc from '../../support/property.ts'
import { expect, test } from 'vitest'
import { createAddressGuard } from '../../../src/platform/net/address-guard.ts'

/**
 * "Globally reachable" in the IANA special-purpose, multicast and IPv6 address space registries.
 * The longest prefix wins. The lookup below uses numbers, so it shares no code with the guard.
 */
const REGISTRY: readonly (readonly [network: string, reachable: boolean])[] = [
  ['0.0.0.0/0', true],
  ['0.0.0.0/8', false],
  ['10.0.0.0/8', false],
  ['100.64.0.0/10', false],
  ['127.0.0.0/8', false],
  ['169.254.0.0/16', false],
  ['172.16.0.0/12', false],
  // 192.0.0.9 and 192.0.0.10 (anycast for PCP and TURN) are reachable, but the guard refuses them
  // too.
  ['192.0.0.0/24', false],
  ['192.0.2.0/24', false],
  ['192.31.196.0/24', true],
  ['192.52.193.0/24', true],
  // Deprecated 6to4 relays. The registry says "not applicable".
  ['192.88.99.0/24', false],
  ['192.168.0.0/16', false],
  ['192.175.48.0/24', true],
  ['198.18.0.0/15', false],
  ['198.51.100.0/24', false],
  ['203.0.113.0/24', false],
  ['224.0.0.0/4', false],
  ['240.0.0.0/4', false],
  ['255.255.255.255/32', false],
  ['::/0', false],
  ['2000::/3', true],
  // Small parts are reachable (anycast, AS112, ORCHIDv2, drones), but the guard refuses them too.
  ['2001::/23', false],
  ['2001:db8::/32', false],
  ['2002::/16', false],
  ['2620:4f:8000::/48', true],
  ['3fff::/20', false],
]

interface Network {
  readonly bits: number
  readonly first: bigint
  readonly length: number
  readonly reachable: boolean
}

const NETWORKS: readonly Network[] = REGISTRY.map(([network, reachable]) => {
  const [address = '', length = ''] = network.split('/')
  return Object.assign(numberOf(address), { length: Number(length), reachable })
})

function numberOf(address: string): { bits: number; first: bigint } {
  if (!address.includes(':')) {
    return { bits: 32, first: address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n) }
  }
  const [head = [], tail = []] = address.split('::').map((half) => half.split(':').filter(Boolean))
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
  return { bits: 128, first: groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n) }
}

function reachable(bits: number, value: bigint): boolean {
  const holds = NETWORKS.filter(
    (each) =>
      each.bits === bits && value >> BigInt(bits - each.length) === each.first >> BigInt(bits - each.length),
  )
  return holds.reduce((best, each) => (each.length > best.length ? each : best)).reachable
}

function ipv4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
}

function ipv6(value: bigint): string {
  return [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n]
    .map((shift) => ((value >> shift) & 0xffffn).toString(16))
    .join(':')
}

/** Random addresses, many of them near the edge of a block. */
function addresses(bits: number): fc.Arbitrary<bigint> {
  const size = 1n << BigInt(bits)
  const edges = NETWORKS.filter((each) => each.bits === bits).flatMap(({ first, length }) => [
    first,
    first + (1n << BigInt(bits - length)),
  ])
  const near = fc
    .tuple(fc.constantFrom(...edges), fc.bigInt({ min: -2n, max: 2n }))
    .map(([edge, away]) => (((edge + away) % size) + size) % size)
  const inside = fc
    .tuple(
      fc.constantFrom(...NETWORKS.filter((each) => each.bits === bits)),
      fc.bigInt({ min: 0n, max: size - 1n }),
    )
    .map(([{ first, length }, any]) => first + (any & ((1n << BigInt(bits - length)) - 1n)))
  return fc.oneof(near, inside, fc.bigInt({ min: 0n, max: size - 1n }))
}

const guard = createAddressGuard({ devMode: false })

test('an IPv4 address is allowed if and only if IANA lists it as globally reachable', () => {
  fc.assert(
    fc.property(addresses(32), (value) => {
      expect(guard.allows(ipv4(value))).toBe(reachable(32, value))
    }),
    { numRuns: 5000 },
  )
})

test('an IPv6 address is allowed if and only if IANA lists it as globally reachable', () => {
  fc.assert(
    fc.property(addresses(128), (value) => {
      expect(guard.allows(ipv6(value))).toBe(reachable(128, value))
    }),
    { numRuns: 5000 },
  )
})

test('no IPv6 address that embeds an IPv4 address is allowed', () => {
  const forms = ['::*', '::ffff:*', '::ffff:0:*', '64:ff9b::*', '64:ff9b:1::*', '2002:*::', '2001:0:*::']
  fc.assert(
    fc.property(fc.constantFrom(...forms), addresses(32), (form, value) => {
      const held = `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`
      expect(guard.allows(form.replace('*', held))).toBe(false)
    }),
    { numRuns: 2000 },
  )
})

test('dev mode allows loopback and no other private address', () => {
  const dev = createAddressGuard({ devMode: true })
  fc.assert(
    fc.property(addresses(32), (value) => {
      expect(dev.allows(ipv4(value))).toBe(reachable(32, value) || value >> 24n === 127n)
    }),
    { numRuns: 3000 },
  )
  fc.assert(
    fc.property(addresses(128), (value) => {
      const loopback = value === 1n || value >> 24n === 0xffff7fn
      expect(dev.allows(ipv6(value))).toBe(reachable(128, value) || loopback)
    }),
    { numRuns: 3000 },
  )
})

test('text that is not an address is not allowed', () => {
  for (const text of [
    '',
    'localhost',
    '8.8.8',
    '8.8.8.8 ',
    '010.8.8.8',
    '8.8.8.8/8',
    '2606:4700::1%eth0',
    '[2606:4700::1]',
  ]) {
    expect([text, guard.allows(text)]).toEqual([text, false])
  }
  expect(guard.allows('8.8.8.8')).toBe(true)
  expect(guard.allows('2606:4700::1111')).toBe(true)
})
