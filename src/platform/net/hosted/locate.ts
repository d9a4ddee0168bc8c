import { isPubkey } from '@agent-registry/solana'

/** Where a document can be fetched: at a URL, or at the URL that a DID Document names. */
export type DocumentLocation =
  | { readonly kind: 'address'; readonly url: string }
  | { readonly kind: 'did:web'; readonly documentUrl: string; readonly fragment: string | null }
  | { readonly kind: 'did:sol'; readonly did: string }
  | { readonly kind: 'none'; readonly reason: string }

/** Base URLs of HTTP gateways to IPFS and Arweave. Null if not configured. */
export interface Gateways {
  readonly ipfs: string | null
  readonly arweave: string | null
}

const CID = /^[A-Za-z0-9]{32,100}$/
const ARWEAVE_ID = /^[\w-]{43}$/
/** RFC 2606: these names never have a host, so no DNS query is needed. */
const RESERVED_HOST = /(^|\.)(example|invalid|example\.(com|net|org))$/

/** Finds where a document is. The HTTP client checks whether it may call the address. */
export function locateDocument(url: string, gateways: Gateways): DocumentLocation {
  const parsed = URL.parse(url)
  if (parsed === null) return none('The URL is not valid')
  switch (parsed.protocol) {
    case 'https:':
    case 'http:':
      parsed.hash = ''
      return reservedHost(parsed) ?? { kind: 'address', url: parsed.href }
    case 'ipfs:':
      return viaGateway(gateways.ipfs, 'ipfs/', parsed, CID)
    case 'ar:':
      return viaGateway(gateways.arweave, '', parsed, ARWEAVE_ID)
    case 'did:':
      return locateDid(url)
    default:
      return none(`The scheme ${parsed.protocol.slice(0, 20)} is not supported: use https, ipfs, ar or did`)
  }
}

function viaGateway(gateway: string | null, path: string, url: URL, id: RegExp): DocumentLocation {
  if (gateway === null) return none(`No gateway for ${url.protocol}// is configured`)
  if (!id.test(url.hostname)) return none(`${url.protocol}// must be followed by a content identifier`)
  const base = gateway.endsWith('/') ? gateway : `${gateway}/`
  return { kind: 'address', url: `${base}${path}${url.hostname}${url.pathname}${url.search}` }
}

/** W3C did:web: colons after the host separate path segments. A fragment names a service. */
function locateDid(url: string): DocumentLocation {
  const [did = '', fragment = null] = url.split('#')
  const [, method, ...parts] = did.split(':')
  if (method === 'sol') {
    const isValid = parts.length === 1 && isPubkey(parts[0])
    return isValid ? { kind: 'did:sol', did } : none('The did:sol DID has no valid public key')
  }
  if (method !== 'web') return none('Only did:web and did:sol DIDs are supported')
  const path = parts.length === 1 ? '.well-known' : parts.slice(1).join('/')
  const host = (parts[0] ?? '').replace(/%3a/i, ':')
  const documentUrl = URL.parse(`https://${host}/${path}/did.json`)
  if (documentUrl === null || documentUrl.host !== host.toLowerCase() || /[?/]/.test(parts.join(''))) {
    return none('The did:web DID has no valid host')
  }
  return reservedHost(documentUrl) ?? { kind: 'did:web', documentUrl: documentUrl.href, fragment }
}

function reservedHost({ hostname }: URL): DocumentLocation | null {
  return RESERVED_HOST.test(hostname) ? none(`${hostname} is reserved for documentation (RFC 2606)`) : null
}

function none(reason: string): DocumentLocation {
  return { kind: 'none', reason }
}
