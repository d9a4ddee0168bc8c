import { siteOf } from '../domain/client-network.ts'
import { createKeyedQueue } from '../platform/async/keyed-queue.ts'
import { CREDENTIAL_FETCHES } from './agent-cards/limits.ts'

/** Where a card's URL leads first. */
interface CardOrigin {
  /** The unit of back-off: a host with port, a whole did:sol DID, or the scheme of a gateway. */
  readonly host: string
  /** The unit of checks that run at once. */
  readonly site: string
}

/** The schemes whose cards are fetched through a gateway of the operator. */
export const GATEWAY_SITES: readonly string[] = ['ipfs:', 'ar:']

const DOCUMENT_SCHEMES: ReadonlySet<string> = new Set(['https:', 'http:', ...GATEWAY_SITES])

/** True for a URL at which credentials and status lists may be. */
export function isDocumentUrl(text: string): boolean {
  return DOCUMENT_SCHEMES.has(URL.parse(text)?.protocol ?? '')
}

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

/** Runs `run` when this process fetches less from the site of the URL than the limit. */
export type SiteSlots = <Result>(url: string, run: () => Promise<Result>) => Promise<Result>

/** Limits the fetches from one site, because anyone can list URLs of a site of others. */
export function createSiteSlots(): SiteSlots {
  const { perSite, perGateway } = CREDENTIAL_FETCHES
  const queue = createKeyedQueue()
  return (url, run) => {
    const { site } = cardOrigin(url)
    return queue(site, GATEWAY_SITES.includes(site) ? perGateway : perSite, run)
  }
}
