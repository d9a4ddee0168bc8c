import type { IncomingHttpHeaders } from 'node:http'
import { urlProblem } from '../check-url.ts'
import type { HttpErrorCode } from '../error-codes.ts'
import type { GuardedHttp } from '../guarded-http.ts'
import { siteOf } from '../../../domain/site.ts'
import type { ByteBudget } from './byte-budget.ts'
import { type Gateways, locateDocument } from './locate.ts'

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

export interface FetchedDocument {
  readonly kind: 'fetched'
  readonly body: Uint8Array
  /** Of the last response, after redirects. */
  readonly headers: IncomingHttpHeaders
}

export type FetchHostedResult = FetchedDocument | FetchFailure

export interface HostedDependencies {
  readonly http: Pick<GuardedHttp, 'get' | 'checkUrl'>
  readonly gateways: Gateways
  readonly budget: ByteBudget
  /** Returns the card URL of the agent with this DID. Null if there is no such agent. */
  readonly cardUrlOf: (did: string) => Promise<string | null>
  /** Time limit of one document, in milliseconds. */
  readonly totalMs: number
  readonly signal?: AbortSignal
}

const MAX_REDIRECTS = 3
const MAX_DID_DOCUMENT_BYTES = 65_536
/** A blocked address reads like a name without addresses, so that nothing internal is revealed. */
const REASONS: Readonly<Partial<Record<HttpErrorCode, string>>> = {
  timeout: 'The host did not respond in time',
  dns_error: 'The host has no public address',
  ssrf_blocked: 'The host has no public address',
  connect_error: 'The host does not accept connections',
  tls_error: 'The host has no valid TLS certificate',
  too_large: 'The document is too large',
  bad_redirect: 'The host sends too many redirects, or an invalid one',
  reset: 'The host closed the connection early',
  bad_encoding: 'The host uses a content encoding that is not supported',
  protocol_error: 'The host does not speak valid HTTP',
}
const HOST_DOWN: ReadonlySet<HttpErrorCode> = new Set<HttpErrorCode>([
  'dns_error',
  'ssrf_blocked',
  'connect_error',
  'tls_error',
])

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
    const document = await get(
      location.documentUrl,
      MAX_DID_DOCUMENT_BYTES,
      dependencies,
      siteOfUrl(location.documentUrl),
    )
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

/**
 * Fetches the agent card that a DID leads to. Its host is not that of the DID, which has `host`.
 */
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
  if (site !== null) budget.spend(site, result.receivedBytes)
  if (result.outcome === 'failed') {
    const reason = REASONS[result.errorCode] ?? 'The document could not be fetched'
    return failed(reason, result.redirected ? 'responded' : hostState(result.errorCode))
  }
  return result.status === 200
    ? { kind: 'fetched', body: result.body, headers: result.headers }
    : failed(`The host responded with status ${result.status}`, 'responded')
}

function hostState(errorCode: HttpErrorCode): HostState {
  if (HOST_DOWN.has(errorCode)) return 'down'
  return errorCode === 'timeout' ? 'silent' : 'responded'
}

function failed(reason: string, host: HostState = null): FetchFailure {
  return { kind: 'failed', reason, host }
}
