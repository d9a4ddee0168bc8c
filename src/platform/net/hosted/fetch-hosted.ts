import type { IncomingHttpHeaders } from 'node:http'
import { isPubkey } from '@agent-registry/solana'
import { urlProblem } from '../check-url.ts'
import type { HttpErrorCode } from '../error-codes.ts'
import type { GuardedHttp } from '../guarded-http.ts'
import { siteOf } from '../../../domain/client-network.ts'
import type { Clock } from '../../clock.ts'
import { createMemoryCounter } from '../../rate-limits/rate-limits.ts'

/**
 * What a failure says about the host of the URL. `down`: its other documents would fail now, too.
 * `silent`: it did not respond in time, perhaps only for this document. Null: it was not called.
 * `limited`: it was not called because too much was read from its site in this minute.
 */
export type HostState = 'responded' | 'silent' | 'down' | 'limited' | null

export interface FetchFailure {
  readonly kind: 'failed'
  readonly reason: string
  readonly host: HostState
}

interface FetchedDocument {
  readonly kind: 'fetched'
  readonly body: Uint8Array
  /** Of the last response, after redirects. */
  readonly headers: IncomingHttpHeaders
}

export type FetchHostedResult = FetchedDocument | FetchFailure

/** Base URLs of HTTP gateways to IPFS and Arweave. Null if not configured. */
export interface Gateways {
  readonly ipfs: string | null
  readonly arweave: string | null
}

export interface HostedDependencies {
  readonly http: Pick<GuardedHttp, 'get' | 'checkUrl'>
  readonly gateways: Gateways
  readonly budget: ReturnType<typeof createByteBudget>
  /** Returns the card URL of the agent with this DID. Null if there is no such agent. */
  readonly cardUrlOf: (did: string) => Promise<string | null>
  /** Time limit of one document, in milliseconds. */
  readonly totalMs: number
  readonly signal?: AbortSignal
}

const MAX_REDIRECTS = 3
const MAX_DID_DOCUMENT_BYTES = 65_536
/** A blocked address reads like a name without addresses, so that nothing internal is revealed. */
const NO_ADDRESS = ['The host has no public address', 'down'] as const
const FAILURES: Readonly<Partial<Record<HttpErrorCode, readonly [reason: string, host: HostState]>>> = {
  timeout: ['The host did not respond in time', 'silent'],
  dns_error: NO_ADDRESS,
  ssrf_blocked: NO_ADDRESS,
  connect_error: ['The host does not accept connections', 'down'],
  tls_error: ['The host has no valid TLS certificate', 'down'],
  too_large: ['The document is too large', 'responded'],
  bad_redirect: ['The host sends too many redirects, or an invalid one', 'responded'],
  reset: ['The host closed the connection early', 'responded'],
  bad_encoding: ['The host uses a content encoding that is not supported', 'responded'],
  protocol_error: ['The host does not speak valid HTTP', 'responded'],
}

/** Fetches a document of at most `maxBytes` from an https, ipfs, ar or did URL. Does not throw. */
export async function fetchHosted(
  url: string,
  maxBytes: number,
  dependencies: HostedDependencies,
): Promise<FetchHostedResult> {
  const location = locateDocument(url, dependencies.gateways)
  if (location.kind === 'none') return failed(location.reason)
  if (location.kind === 'did:sol') {
    return getCard(await dependencies.cardUrlOf(location.did), maxBytes, dependencies, null)
  }
  if (location.kind === 'did:web') {
    const { documentUrl } = location
    const document = await get(documentUrl, MAX_DID_DOCUMENT_BYTES, dependencies, siteOfUrl(documentUrl))
    if (document.kind === 'failed') return document
    return getCard(findCardEndpoint(document.body, location.fragment), maxBytes, dependencies, 'responded')
  }
  const site = siteOfUrl(url)
  const result = await get(location.url, maxBytes, dependencies, site)
  // A gateway waits for documents that nobody has, which says nothing about others.
  return site === null && result.kind === 'failed' && result.host === 'silent'
    ? failed(result.reason)
    : result
}

/** Fetches the card that a DID leads to. `host` is the state of the host of the DID. */
async function getCard(
  url: string | null,
  maxBytes: number,
  dependencies: HostedDependencies,
  host: HostState,
): Promise<FetchHostedResult> {
  const location = url === null ? null : locateDocument(url, dependencies.gateways)
  if (location?.kind !== 'address') return failed('The DID has no agent card that can be fetched', host)
  const result = await get(location.url, maxBytes, dependencies, siteOfUrl(url!))
  return result.kind === 'failed' && result.host !== 'limited' ? failed(result.reason, host) : result
}

/** Where a document can be fetched: at a URL, or at the URL that a DID Document names. */
type DocumentLocation =
  | { readonly kind: 'address'; readonly url: string }
  | { readonly kind: 'did:web'; readonly documentUrl: string; readonly fragment: string | null }
  | { readonly kind: 'did:sol'; readonly did: string }
  | { readonly kind: 'none'; readonly reason: string }

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

/** The endpoint of the A2AAgentCard service, or of the service that the fragment names. */
function findCardEndpoint(body: Uint8Array, fragment: string | null): string | null {
  try {
    const { service } = JSON.parse(Buffer.from(body).toString()) as { service?: unknown }
    const found = (Array.isArray(service) ? service : []).find(({ id, type }: Record<string, unknown>) =>
      fragment === null ? type === 'A2AAgentCard' : String(id).split('#')[1] === fragment,
    ) as { serviceEndpoint?: unknown } | undefined
    return typeof found?.serviceEndpoint === 'string' ? found.serviceEndpoint : null
  } catch {
    return null
  }
}

/** Null for a gateway, which serves the documents of many owners. */
function siteOfUrl(url: string): string | null {
  return /^https?:/i.test(url) ? siteOf(new URL(url).hostname) : null
}

/** `site` pays for what is read, redirects included. */
async function get(
  url: string,
  maxBytes: number,
  { http, budget, totalMs, signal }: HostedDependencies,
  site: string | null,
): Promise<FetchHostedResult> {
  const request = { maxBytes, totalMs, headers: { accept: 'application/json' }, ...(signal && { signal }) }
  const problem = urlProblem(http, url)
  if (problem !== null) return failed(`The URL ${problem}`)
  if (site !== null && budget.isUsedUp(site)) {
    return failed('Too much was read from the site within a minute', 'limited')
  }
  const result = await http.get(url, { ...request, maxRedirects: MAX_REDIRECTS })
  if (site !== null) budget.charge(site, result.receivedBytes)
  if (result.outcome === 'failed') {
    const failure = FAILURES[result.errorCode]
    const [reason, host] = failure ?? ['The document could not be fetched', 'responded']
    return failed(reason, result.redirected ? 'responded' : host)
  }
  return result.status === 200
    ? { kind: 'fetched', body: result.body, headers: result.headers }
    : failed(`The host responded with status ${result.status}`, 'responded')
}

function failed(reason: string, host: HostState = null): FetchFailure {
  return { kind: 'failed', reason, host }
}

/** Bytes that this process reads per minute for the cards and credentials of one site. */
export const SITE_BYTES_PER_MINUTE = 33_554_432
/** The least recently read site is forgotten first. */
const MAX_SITES = 10_000

/** Counts what was read from each site, because one owner may have any number of agents. */
export function createByteBudget(clock: Clock) {
  const counter = createMemoryCounter(clock, MAX_SITES)
  return {
    isUsedUp: (site: string): boolean => counter.count(site, SITE_BYTES_PER_MINUTE, 0).remaining === 0,
    charge: (site: string, bytes: number): void => void counter.countUsed(site, SITE_BYTES_PER_MINUTE, bytes),
  }
}

/** Milliseconds for a shared cache (RFC 9111, 4.2). Null if the headers do not say. */
export function httpFreshness(headers: IncomingHttpHeaders): number | null {
  const directives = parseCacheControl(headers['cache-control'] ?? '')
  if (['no-store', 'no-cache', 'private'].some((name) => directives.has(name))) return 0
  const maxAge = directives.get('s-maxage') ?? directives.get('max-age')
  const lifetime = maxAge === undefined ? expiresAfter(headers) : seconds(maxAge)
  return lifetime === null ? null : Math.max(0, lifetime - seconds(headers.age ?? '0'))
}

function parseCacheControl(text: string): Map<string, string> {
  const parts = text.split(',').map((part) => part.trim().split('='))
  return new Map(parts.map(([name = '', value = '']) => [name.toLowerCase(), value]))
}

/** Milliseconds. An invalid number counts as 0, so that the response is not kept. */
function seconds(text: string): number {
  const digits = /^"?(\d{1,10})"?$/.exec(text)?.[1]
  return digits === undefined ? 0 : Number(digits) * 1_000
}

/** By the host's clock, because ours may differ. An invalid date counts as past. */
function expiresAfter({ expires, date }: IncomingHttpHeaders): number | null {
  if (expires === undefined) return null
  const ms = Date.parse(expires) - Date.parse(date ?? '')
  return Number.isNaN(ms) ? 0 : ms
}
