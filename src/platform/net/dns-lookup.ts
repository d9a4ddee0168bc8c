import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import type { AddressGuard } from './address-guard.ts'
import { isLoopbackHost } from './check-url.ts'
import { HttpError } from './error-codes.ts'

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
