import { isIP } from 'node:net'
import { getDomain } from 'tldts'
import { clientNetwork } from './client-network.ts'

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
