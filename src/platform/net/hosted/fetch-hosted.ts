import type { HttpErrorCode } from '../error-codes.ts'
import type { GuardedHttp } from '../guarded-http.ts'
import { type Gateways, locateDocument, type DocumentLocation } from './locate.ts'
import { urlProblem } from '../check-url.ts'

export type FetchHostedResult =
  | { readonly kind: 'fetched'; readonly body: Uint8Array }
  /** `hostDown`: nothing else of that host can be had now either. */
  | { readonly kind: 'failed'; readonly reason: string; readonly hostDown: boolean }

export interface HostedDependencies {
  readonly http: Pick<GuardedHttp, 'get' | 'checkUrl'>
  readonly gateways: Gateways
  /** The card URL of the agent whose DID this is; null where there is none. */
  readonly cardUrlOf: (did: string) => Promise<string | null>
  /** For one document, from the name to the last byte. */
  readonly totalMs: number
  readonly signal?: AbortSignal
}

const MAX_REDIRECTS = 3
const MAX_DID_DOCUMENT_BYTES = 65_536
/** Codes of the HTTP client in words; an address that is refused looks like a name that does not resolve. */
const REASONS: Readonly<Partial<Record<HttpErrorCode, string>>> = {
  timeout: 'The host did not answer in time',
  dns_error: 'The host has no public address',
  ssrf_blocked: 'The host has no public address',
  connect_error: 'The host does not take connections',
  tls_error: 'The host has no valid TLS certificate',
  too_large: 'The document is too large',
  bad_redirect: 'The host redirects too often, or to nowhere',
  reset: 'The host broke off',
  bad_encoding: 'The host sends it in an encoding that cannot be read',
  protocol_error: 'The host does not speak HTTP',
}
const HOST_DOWN: ReadonlySet<HttpErrorCode> = new Set<HttpErrorCode>([
  'dns_error',
  'ssrf_blocked',
  'connect_error',
  'tls_error',
])

/** Gets a document of at most `maxBytes` from where its URL says. Whatever goes wrong is a value with a reason. */
export async function fetchHosted(
  url: string,
  maxBytes: number,
  dependencies: HostedDependencies,
): Promise<FetchHostedResult> {
  const location = await direct(locateDocument(url, dependencies.gateways), dependencies)
  return 'reason' in location
    ? failed(location.reason, location.hostDown)
    : get(location.url, maxBytes, dependencies)
}

/** Follows a DID to the address that its document names. */
async function direct(
  location: DocumentLocation,
  dependencies: HostedDependencies,
): Promise<{ url: string } | { reason: string; hostDown: boolean }> {
  if (location.kind === 'address') return location
  if (location.kind === 'none') return { reason: location.reason, hostDown: false }
  if (location.kind === 'did:sol') return named(await dependencies.cardUrlOf(location.did), dependencies)
  const document = await get(location.documentUrl, MAX_DID_DOCUMENT_BYTES, dependencies)
  if (document.kind === 'failed') return document
  return named(cardService(document.body, location.fragment), dependencies)
}

function named(
  url: string | null,
  { gateways }: HostedDependencies,
): { url: string } | { reason: string; hostDown: boolean } {
  const location = url === null ? null : locateDocument(url, gateways)
  if (location?.kind === 'address') return location
  return { reason: 'The DID names no agent card that can be fetched', hostDown: false }
}

/** The endpoint of the A2AAgentCard service of a DID Document, or of the service that the fragment names. */
function cardService(body: Uint8Array, fragment: string | null): string | null {
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

async function get(
  url: string,
  maxBytes: number,
  { http, totalMs, signal }: HostedDependencies,
): Promise<FetchHostedResult> {
  const request = { maxBytes, totalMs, headers: { accept: 'application/json' }, ...(signal && { signal }) }
  const refused = urlProblem(http, url)
  if (refused !== null) return failed(`The URL ${refused}`)
  const result = await http.get(url, { ...request, maxRedirects: MAX_REDIRECTS })
  if (result.outcome === 'failed') {
    const reason = REASONS[result.errorCode] ?? 'It could not be fetched'
    if (!HOST_DOWN.has(result.errorCode)) return failed(reason)
    // It may be the host of a redirect that is down: others of the first host must not suffer for that.
    const first = await http.get(url, { ...request, maxRedirects: 0 })
    return failed(reason, first.outcome === 'failed' && HOST_DOWN.has(first.errorCode))
  }
  return result.status === 200
    ? { kind: 'fetched', body: result.body }
    : failed(`The host answered with status ${result.status}`)
}

function failed(reason: string, hostDown = false): FetchHostedResult {
  return { kind: 'failed', reason, hostDown }
}
