import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import type { AddressGuard } from './address-guard.ts'
import { isLoopbackHost } from './check-url.ts'
import { HttpError } from './error-codes.ts'

/** All addresses of a host name; rejects where there are none. */
export type HostLookup = (hostname: string) => Promise<readonly string[]>

/** Of each family: a name with hundreds of addresses would otherwise have us knock at all of them. */
const MAX_TRIED = 3

/** How long an answer with addresses waits for that of the other family. */
const PATIENCE_MS = 300

/**
 * Asks the DNS servers of the system, or `servers` (`address:port`), and not the hosts file. Not by getaddrinfo: its calls would hold the
 * few threads of the process while the name servers of one receiver do not answer.
 */
export function createDnsLookup({
  servers,
  timeoutMs = 1200,
}: { servers?: readonly string[]; timeoutMs?: number } = {}): HostLookup {
  return async (hostname) => {
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
    if (servers !== undefined) resolver.setServers(servers)
    const asked = [resolver.resolve4(hostname), resolver.resolve6(hostname)]
    const answers = Promise.allSettled(asked)
    await Promise.any(asked).catch(() => undefined)
    // Some name servers never answer for IPv6. What was not heard is not called either.
    const timer = setTimeout(() => resolver.cancel(), PATIENCE_MS)
    const heard = await answers
    clearTimeout(timer)
    const addresses = heard.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length === 0) throw new Error(`no address of ${hostname}`, { cause: heard })
    return addresses
  }
}

/**
 * For `connect.lookup`: the socket gets the very addresses that were vetted, so that a second answer of the name server changes nothing.
 * One blocked address among several refuses the name.
 */
export function guardedLookup(lookup: HostLookup, guard: AddressGuard): LookupFunction {
  const vetted = async (hostname: string): Promise<LookupAddress[]> => {
    const addresses = isLoopbackHost(hostname) ? ['127.0.0.1', '::1'] : await addressesOf(hostname, lookup)
    if (!addresses.every((each) => guard.allows(each))) throw new HttpError('ssrf_blocked')
    const found = addresses.map((address) => ({ address, family: isIP(address) }))
    return [4, 6].flatMap((family) => found.filter((each) => each.family === family).slice(0, MAX_TRIED))
  }
  const ask = callbackify(vetted)
  return (hostname, { all }, callback) => {
    ask(hostname, (error, found) => {
      if (error !== null) callback(error, [])
      else if (all === true) callback(null, found)
      else callback(null, found[0]!.address, found[0]!.family)
    })
  }
}

async function addressesOf(hostname: string, lookup: HostLookup): Promise<readonly string[]> {
  const addresses = await lookup(hostname).catch((cause: unknown) => {
    throw new HttpError('dns_error', { cause })
  })
  if (addresses.length === 0) throw new HttpError('dns_error')
  return addresses
}
