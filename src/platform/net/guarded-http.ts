import type { IncomingHttpHeaders } from 'node:http'
import {
  type AddressGuard,
  type AddressGuardOptions,
  createAddressGuard,
  createDnsLookup,
  createGuardedLookup,
  type HostLookup,
} from './address-guard.ts'
import { checkUrl, UrlRefused, type UrlRules } from './check-url.ts'
import { createConnector, createPools, type NetMetrics } from './connector.ts'
import {
  decodeBody,
  type RawRequest,
  type RawResponse,
  REQUEST_LIMITS,
  type RequestLimits,
  sendRequest,
} from './send-request.ts'
import { errorCodeOf, HttpError, type HttpErrorCode } from './error-codes.ts'

export interface GuardedHttpOptions extends UrlRules, AddressGuardOptions {
  /** PEM of certificate authorities to trust in addition to the system's. */
  readonly extraCa?: string
  /** DNS by default. */
  readonly lookup?: HostLookup
  /** 5,000 by default. */
  readonly connectTimeoutMs?: number
  readonly metrics?: NetMetrics
}

interface PostRequest extends RequestLimits {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

export interface GetRequest extends RequestLimits {
  /** Limit of the body, both as received and decoded. A larger body fails with `too_large`. */
  readonly maxBytes: number
  readonly headers?: Readonly<Record<string, string>>
  /** 0 by default: a redirect is returned like any other response. */
  readonly maxRedirects?: number
  readonly signal?: AbortSignal
}

export interface HttpResponse {
  readonly outcome: 'response'
  /** The URL that responded, after redirects. */
  readonly url: string
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
  /** Only for POST: the receiver sent more than is kept, or did not end the body in time. */
  readonly truncated: boolean
  readonly receivedBytes: number
  readonly durationMs: number
}

interface HttpFailure {
  readonly outcome: 'failed'
  readonly errorCode: HttpErrorCode
  /** True if the host of the URL sent a redirect, so the failure is that of another URL. */
  readonly redirected: boolean
  readonly receivedBytes: number
  readonly durationMs: number
}

/** What is known of a call before it ends. */
interface Progress {
  redirected: boolean
  /** Of all responses, with headers and TLS. */
  receivedBytes: number
}

export type HttpResult = HttpResponse | HttpFailure

/** An HTTP client for URLs that users name. It reaches public addresses only. */
export interface GuardedHttp {
  /** Parses a URL. Throws UrlRefused. Addresses are checked when the URL is called. */
  checkUrl(url: string): URL
  /** Keeps the first 4,000 bytes of the body, not decoded. Waits at most `idleMs` for the body. */
  post(url: string, request: PostRequest): Promise<HttpResult>
  get(url: string, request: GetRequest): Promise<HttpResult>
  /** Requests that still run fail as `aborted`. */
  close(): Promise<void>
}

/** 1,000 characters of UTF-8, which webhooks store. */
const MAX_CAPTURED_BYTES = 4_000
/**
 * Bytes that a response may have beside its body: headers and trailers (of up to six responses),
 * and what a socket reads ahead. The overhead of chunks and TLS may be as large as the body.
 */
const MAX_OTHER_BYTES = 131_072
/** Unused connections are closed after this time. */
const KEEP_ALIVE_MS = 10_000

export function createGuardedHttp(options: GuardedHttpOptions): GuardedHttp {
  const guard = createAddressGuard(options)
  const { send, close } = createTransport(options, guard)
  const check = (url: string): URL => checkUrl(url, options, guard)
  const run = (request: (progress: Progress) => Promise<LocatedResponse>): Promise<HttpResult> =>
    resultOf(request, options.metrics)
  return {
    checkUrl: check,
    post: (url, request) =>
      run(async (progress) => {
        const target = check(url)
        const options = {
          ...REQUEST_LIMITS,
          ...request,
          method: 'POST',
          maxBytes: MAX_CAPTURED_BYTES,
        } as const
        return { url: target.href, ...(await send(target, options, progress)) }
      }),
    get: (url, { maxBytes, headers = {}, maxRedirects = 0, ...limits }) =>
      run((progress) => {
        const { totalMs, ...options } = {
          ...REQUEST_LIMITS,
          ...limits,
          method: 'GET',
          headers: { 'accept-encoding': 'identity', ...headers },
          body: null,
          maxBytes,
        } as const
        const deadline = performance.now() + totalMs
        const onRedirect = (): void => {
          progress.redirected = true
        }
        return followRedirects({ url, maxRedirects, check, onRedirect }, async (target) => {
          const request = { ...options, totalMs: deadline - performance.now() }
          const response = await send(target, request, progress)
          const body = await decodeBody(response.body, response.headers['content-encoding'], maxBytes)
          return { ...response, url: target.href, body }
        })
      }),
    close,
  }
}

type LocatedResponse = RawResponse & { readonly url: string }

/** Sends requests over connections that the guard allows, and adds up what they receive. */
function createTransport(options: GuardedHttpOptions, guard: AddressGuard) {
  const { lookup = createDnsLookup(), connectTimeoutMs = 5000, extraCa, metrics = null } = options
  const connector = createConnector({
    lookup: createGuardedLookup(lookup, guard),
    connectTimeoutMs,
    extraCa,
    metrics,
  })
  const pools = createPools(
    {
      connect: connector.connect,
      allowH2: false,
      // Waiting for a connection counts as request time. Callers keep to fewer requests per origin.
      connections: 40,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: 16 * 1024,
    },
    KEEP_ALIVE_MS,
  )
  return {
    send: async (
      target: URL,
      request: Omit<RawRequest, 'path' | 'onStart'>,
      progress: Progress,
    ): Promise<RawResponse> => {
      const path = `${target.pathname}${target.search}`
      let received = (): number => 0
      const onStart = (): void => {
        received = connector.startRequest(2 * request.maxBytes + MAX_OTHER_BYTES)
      }
      try {
        return await pools.use(target.origin, (pool) => sendRequest(pool, { ...request, path, onStart }))
      } finally {
        progress.receivedBytes += received()
      }
    },
    close: async (): Promise<void> => {
      connector.release()
      await pools.destroy(new HttpError('aborted'))
    },
  }
}

/** What a request returned, or the code of its error. */
async function resultOf(
  request: (progress: Progress) => Promise<LocatedResponse>,
  metrics: NetMetrics | undefined,
): Promise<HttpResult> {
  const startedAt = performance.now()
  const progress = { redirected: false, receivedBytes: 0 }
  const durationMs = (): number => Math.round(performance.now() - startedAt)
  try {
    const response = await request(progress)
    const { receivedBytes } = progress
    return { outcome: 'response', ...response, receivedBytes, durationMs: durationMs() }
  } catch (error) {
    const errorCode = error instanceof UrlRefused ? 'ssrf_blocked' : errorCodeOf(error)
    metrics?.failures.inc({ code: errorCode })
    return { outcome: 'failed', errorCode, ...progress, durationMs: durationMs() }
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Follows redirects and checks every URL. Never goes from https to http. */
async function followRedirects<
  Response extends { readonly status: number; readonly headers: IncomingHttpHeaders },
>(
  options: { url: string; maxRedirects: number; check: (url: string) => URL; onRedirect: () => void },
  request: (url: URL) => Promise<Response>,
): Promise<Response> {
  const { maxRedirects, check } = options
  let url = check(options.url)
  for (let left = maxRedirects; ; left -= 1) {
    const response = await request(url)
    if (maxRedirects === 0 || !REDIRECTS.has(response.status)) return response
    options.onRedirect()
    const { location } = response.headers
    const next = location === undefined ? null : URL.parse(location, url)
    if (left === 0 || next === null) throw new HttpError('bad_redirect')
    if (url.protocol === 'https:' && next.protocol === 'http:') throw new HttpError('bad_redirect')
    // A fragment is allowed here but never sent to the host.
    next.hash = ''
    url = check(next.href)
  }
}
