import { isIPv4, isIPv6 } from 'node:net'

/**
 * What a limit per client counts: an IPv4 address, also where it comes mapped into IPv6, or the /64 of an IPv6 address, since a
 * client has all addresses of its /64. A port that a proxy wrote behind it does not count. Text that is no address, such as the empty one
 * of a call from inside, counts as itself.
 */
export function clientNetwork(text: string): string {
  const ip = withoutPort(text)
  if (isIPv4(ip) || !isIPv6(ip)) return ip
  // The URL parser writes every IPv6 address in one way, a mapped one as ::ffff:hhhh:hhhh.
  const address = new URL(`http://[${ip.replace(/%.*$/s, '')}]`).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address)
  if (mapped !== null) return dotted(mapped.slice(1).map((group) => parseInt(group, 16)))
  return `${groups(address).slice(0, 4).join(':')}::/64`
}

/** Some proxies write `203.0.113.7:41234` or `[2001:db8::1]:41234` into X-Forwarded-For: every connection would be another client. */
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
