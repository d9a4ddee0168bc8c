import { isIPv4, isIPv6, isIP } from 'node:net'
import { getDomain } from 'tldts'

/** The networks of addresses that are in use now. Each request asks for its own several times. */
const known = new Map<string, string>()
const MAX_KNOWN = 1_000

/**
 * The unit of every limit per client: an IPv4 address (also one mapped into IPv6), or the /64 of an
 * IPv6 address, because a client owns its whole /64. Removes a port that a proxy added. Text that
 * is not an address is returned as it is, or as `unknown` if it is long.
 */
export function clientNetwork(text: string): string {
  const found = known.get(text)
  if (found !== undefined) return found
  const network = readNetwork(text)
  if (known.size >= MAX_KNOWN) known.clear()
  // Only texts that are their own copy, so that long headers are not kept.
  if (network === text) known.set(network, network)
  return network
}

function readNetwork(text: string): string {
  const ip = withoutPort(text)
  // A copy: V8 would keep the whole X-Forwarded-For of which the address is a part.
  if (isIPv4(ip)) return ip.split('.').join('.')
  // The database has an index of clients, and refuses longer texts.
  if (!isIPv6(ip)) return /^.{65}/s.test(ip) ? 'unknown' : ip
  // The URL parser normalizes IPv6 addresses. A mapped one becomes ::ffff:hhhh:hhhh.
  const address = new URL(`http://[${ip.replace(/%.*$/s, '')}]`).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address)
  if (mapped !== null) return dotted(mapped.slice(1).map((group) => parseInt(group, 16)))
  return `${groups(address).slice(0, 4).join(':')}::/64`
}

/** Some proxies write `203.0.113.7:41234` or `[2001:db8::1]:41234` into X-Forwarded-For. */
function withoutPort(text: string): string {
  const [, v6, v4] = /^(?:\[([^\]]*)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)$/.exec(text) ?? []
  return v6 ?? v4 ?? text
}

function dotted(groups: number[]): string {
  return groups.flatMap((group) => [group >> 8, group & 255]).join('.')
}

function groups(address: string): string[] {
  const [left = [], right = []] = address
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right]
}

/**
 * The unit of limits per host: the registrable domain, or the network of an IP address. One owner
 * controls all names of a site, so more names do not get more. Names below a domain on which a
 * platform gives names to its users (`a.github.io`) are sites of their own. `host` is lower case,
 * without port; IPv6 addresses may have brackets.
 */
export function siteOf(host: string): string {
  const name = host.replace(/^\[(.*)\]$/, '$1')
  if (isIP(name) !== 0) return clientNetwork(name)
  return getDomain(name, { allowPrivateDomains: true, extractHostname: false }) ?? name
}
