import { siteOf } from '../../domain/site.ts'

/** Where a card's URL leads first. */
export interface CardOrigin {
  /**
   * The unit of back-off: a host with its port, a whole did:sol DID, or the scheme of a gateway.
   */
  readonly host: string
  /** The unit of checks that run at once. */
  readonly site: string
}

/** The schemes whose cards are fetched through a gateway of the operator. */
export const GATEWAY_SITES: readonly string[] = ['ipfs:', 'ar:']

/** A URL that cannot be fetched leads to no host, and its check sends nothing. */
export function cardOrigin(url: string): CardOrigin {
  const parsed = URL.parse(url)
  if (parsed === null) return { host: '', site: '' }
  if (parsed.protocol !== 'did:') return originOf(parsed)
  const [, method, host = ''] = url.split('#')[0]!.split(':')
  const didWeb = method === 'web' ? URL.parse(`https://${host.replace(/%3a/i, ':')}`) : null
  if (didWeb !== null) return originOf(didWeb)
  const did = url.split('#')[0]!.slice(0, 100)
  return { host: did, site: did }
}

function originOf({ protocol, host, hostname }: URL): CardOrigin {
  if (protocol !== 'https:' && protocol !== 'http:') return { host: protocol, site: protocol }
  return { host, site: siteOf(hostname) }
}
