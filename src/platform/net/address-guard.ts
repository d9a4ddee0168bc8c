import { BlockList, isIP, type LookupFunction } from 'node:net'
import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { callbackify } from 'node:util'
import { HttpError } from './error-codes.ts'

export type AddressGuard = ReturnType<typeof createAddressGuard>

export interface AddressGuardOptions {
  /** Also allows loopback addresses, but no other private ones. */
  readonly devMode: boolean
  /** Private networks to allow. Only tests set this. */
  readonly allowCidrs?: readonly string[]
}

/** IANA IPv4 Special-Purpose Address Registry, 6to4 relays, multicast (224/4), reserved (240/4). */
const PRIVATE_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]
/** IANA's global unicast block. It has no mapped, NAT64, unique local or link-local addresses. */
const PUBLIC_IPV6 = ['2000::/3']
/** Ranges inside 2000::/3 for protocols (Teredo, ORCHID), documentation and 6to4. */
const PRIVATE_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']
const LOOPBACK = ['127.0.0.0/8', '::1/128']

/** `address`: a literal IPv4 or IPv6 address. */
export const isLoopback = addressMatcher(LOOPBACK)

/** Allows public addresses only. An IPv6 address must be in a block that is known to be public. */
export function createAddressGuard({ devMode, allowCidrs = [] }: AddressGuardOptions) {
  const allowed = blockList([...allowCidrs, ...(devMode ? LOOPBACK : [])])
  const privateNetworks = blockList([...PRIVATE_IPV4, ...PRIVATE_IPV6])
  const publicIpv6 = blockList(PUBLIC_IPV6)
  return {
    /** True for a literal address that may be called. False for addresses with a zone. */
    allows: (address: string): boolean => {
      if (isIP(address) === 0 || address.includes('%')) return false
      const family = familyOf(address)
      if (allowed.check(address, family)) return true
      if (privateNetworks.check(address, family)) return false
      return family === 'ipv4' || publicIpv6.check(address, family)
    },
  }
}

/** Returns a function that tells whether an address is in one of these addresses and networks. */
export function addressMatcher(networks: readonly string[]): (address: string) => boolean {
  const list = blockList(networks)
  return (address) => list.check(address, familyOf(address))
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const each of networks) {
    const [network = '', prefix] = each.split('/')
    if (prefix === undefined) list.addAddress(network, familyOf(network))
    else list.addSubnet(network, Number(prefix), familyOf(network))
  }
  return list
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}

/** Returns all addresses of a host name. Rejects if there are none. */
export type HostLookup = (hostname: string) => Promise<readonly string[]>

/** A name may have hundreds of addresses. Connecting stops after these. */
const MAX_ADDRESSES_PER_FAMILY = 3

/** How long to wait for the other query (A or AAAA) after the first has addresses. */
const SLOWER_QUERY_WAIT_MS = 300

/**
 * Queries the system's DNS servers, or `servers` (`address:port`). Does not use getaddrinfo: it
 * would block Node's few worker threads while a name server does not respond. The hosts file is
 * ignored.
 */
export function createDnsLookup({
  servers,
  timeoutMs = 1200,
}: { servers?: readonly string[]; timeoutMs?: number } = {}): HostLookup {
  return async (hostname) => {
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
    if (servers !== undefined) resolver.setServers(servers)
    const queries = [resolver.resolve4(hostname), resolver.resolve6(hostname)]
    const settled = Promise.allSettled(queries)
    await Promise.any(queries).catch(() => undefined)
    // Some name servers never respond to AAAA. Addresses that did not arrive are not called either.
    const timer = setTimeout(() => resolver.cancel(), SLOWER_QUERY_WAIT_MS)
    const results = await settled
    clearTimeout(timer)
    const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    if (addresses.length === 0) throw new Error(`no address for ${hostname}`, { cause: results })
    return addresses
  }
}

/**
 * A lookup for `connect`. The socket connects to the addresses that were checked here, so a second
 * DNS response cannot change them. A name with one blocked address is refused.
 */
export function createGuardedLookup(lookup: HostLookup, guard: AddressGuard): LookupFunction {
  const resolve = callbackify(async (hostname: string): Promise<LookupAddress[]> => {
    const addresses = isLoopbackHost(hostname) ? ['127.0.0.1', '::1'] : await resolveHost(hostname, lookup)
    if (!addresses.every((address) => guard.allows(address))) throw new HttpError('ssrf_blocked')
    const found = addresses.map((address) => ({ address, family: isIP(address) }))
    return [4, 6].flatMap((family) =>
      found.filter((each) => each.family === family).slice(0, MAX_ADDRESSES_PER_FAMILY),
    )
  })
  return (hostname, { all }, callback) => {
    resolve(hostname, (error, found) => {
      if (error !== null) callback(error, [])
      else if (all === true) callback(null, found)
      else callback(null, found[0]!.address, found[0]!.family)
    })
  }
}

async function resolveHost(hostname: string, lookup: HostLookup): Promise<readonly string[]> {
  const addresses = await lookup(hostname).catch((cause: unknown) => {
    throw new HttpError('dns_error', { cause })
  })
  if (addresses.length === 0) throw new HttpError('dns_error')
  return addresses
}

/** True for `localhost`, names below it, and loopback addresses. */
export function isLoopbackHost(host: string): boolean {
  return isIP(host) === 0 ? /(^|\.)localhost$/.test(host) : isLoopback(host)
}
