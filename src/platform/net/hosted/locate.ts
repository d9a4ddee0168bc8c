import { isPubkey } from '@agent-registry/solana'
/** Where a document is to be had: an address, a DID whose document names it, or nowhere (a text says why). */
export type DocumentLocation =
  | { readonly kind: 'address'; readonly url: string }
  | { readonly kind: 'did:web'; readonly documentUrl: string; readonly fragment: string | null }
  | { readonly kind: 'did:sol'; readonly did: string }
  | { readonly kind: 'none'; readonly reason: string }

/** Addresses in front of the content-addressed networks; null where none is configured. */
export interface Gateways {
  readonly ipfs: string | null
  readonly arweave: string | null
}

const CID = /^[A-Za-z0-9]{32,100}$/
const ARWEAVE_ID = /^[\w-]{43}$/
/** RFC 2606: nothing of anybody is there, so that nobody need look. */
const RESERVED_HOST = /(^|\.)(example|invalid|example\.(com|net|org))$/

/** Reads the URL of an agent card or a credential: https, ipfs, ar or did. Which addresses are allowed is the HTTP guard's to say. */
export function locateDocument(url: string, gateways: Gateways): DocumentLocation {
  const parsed = URL.parse(url)
  if (parsed === null) return none('The URL cannot be read')
  switch (parsed.protocol) {
    case 'https:':
    case 'http:':
      return RESERVED_HOST.test(parsed.hostname)
        ? none(`${parsed.hostname} is a name for documentation (RFC 2606), where nothing is`)
        : { kind: 'address', url: withoutFragment(parsed) }
    case 'ipfs:':
      return viaGateway(gateways.ipfs, 'ipfs/', parsed, CID, 'ipfs')
    case 'ar:':
      return viaGateway(gateways.arweave, '', parsed, ARWEAVE_ID, 'ar')
    case 'did:':
      return locateDid(url)
    default:
      return none(`The scheme ${parsed.protocol.slice(0, 20)} is not one of https, ipfs, ar and did`)
  }
}

function viaGateway(
  gateway: string | null,
  below: string,
  url: URL,
  id: RegExp,
  scheme: string,
): DocumentLocation {
  if (gateway === null) return none(`No gateway for ${scheme}:// is configured`)
  if (!id.test(url.hostname)) return none(`${scheme}:// must be followed by a content identifier`)
  const base = gateway.endsWith('/') ? gateway : `${gateway}/`
  return { kind: 'address', url: `${base}${below}${url.hostname}${url.pathname}${url.search}` }
}

/** W3C did:web: the colons after the host are its path. A fragment names a service of the DID Document. */
function locateDid(url: string): DocumentLocation {
  const [did = '', fragment = null] = url.split('#')
  const [, method, ...parts] = did.split(':')
  if (method === 'sol') {
    return parts.length === 1 && isPubkey(parts[0])
      ? { kind: 'did:sol', did }
      : none('The did:sol DID names no key')
  }
  if (method !== 'web') return none('Of DIDs, only did:web and did:sol are resolved')
  const path = parts.length === 1 ? '.well-known' : parts.slice(1).join('/')
  const host = (parts[0] ?? '').replace(/%3a/i, ':')
  const documentUrl = URL.parse(`https://${host}/${path}/did.json`)
  if (documentUrl === null || documentUrl.host !== host.toLowerCase() || /[?/]/.test(parts.join(''))) {
    return none('The did:web DID names no host')
  }
  return RESERVED_HOST.test(documentUrl.hostname)
    ? none(`${documentUrl.hostname} is a name for documentation (RFC 2606), where nothing is`)
    : { kind: 'did:web', documentUrl: documentUrl.href, fragment }
}

function withoutFragment(url: URL): string {
  url.hash = ''
  return url.href
}

function none(reason: string): DocumentLocation {
  return { kind: 'none', reason }
}
