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

export interface HttpResponse extends LocatedResponse {
  readonly outcome: 'response'
  readonly receivedBytes: number
  readonly durationMs: number
}

interface LocatedResponse extends RawResponse {
  /** The URL that responded, after redirects. */
  readonly url: string
}

interface HttpFailure extends Readonly<Progress> {
  readonly outcome: 'failed'
  readonly errorCode: HttpErrorCode
  readonly durationMs: number
}

/** What is known of a call before it ends. */
interface Progress {
  /** True if the host of the URL sent a redirect, so a failure is that of another URL. */
  redirected: boolean
  /** Of all responses, with headers and TLS. */
  receivedBytes: number
}

export type HttpResult = HttpResponse | HttpFailure

export type GuardedHttp = ReturnType<typeof createGuardedHttp>

/** 1,000 characters of UTF-8, which webhooks store. */
const MAX_CAPTURED_BYTES = 4_000
/**
 * Bytes that a response may have beside its body: headers and trailers (of up to six responses),
 * and what a socket reads ahead. The overhead of chunks and TLS may be as large as the body.
 */
const MAX_OTHER_BYTES = 131_072
/** Unused connections are closed after this time. */
const KEEP_ALIVE_MS = 10_000

/** An HTTP client for URLs that users name. It reaches public addresses only. */
export function createGuardedHttp(options: GuardedHttpOptions) {
  const guard = createAddressGuard(options)
  const { send, close } = createTransport(options, guard)
  const check = (url: string): URL => checkUrl(url, options, guard)
  const run = (request: (progress: Progress) => Promise<LocatedResponse>): Promise<HttpResult> =>
    resultOf(request, options.metrics)
  return {
    /** Parses a URL. Throws UrlRefused. Addresses are checked when the URL is called. */
    checkUrl: check,
    /** Keeps the first 4,000 bytes of the body, not decoded. Waits at most `idleMs` for it. */
    post: (url: string, request: PostRequest): Promise<HttpResult> =>
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
    get: (
      url: string,
      { maxBytes, headers = {}, maxRedirects = 0, ...limits }: GetRequest,
    ): Promise<HttpResult> =>
      run(async (progress) => {
        const { totalMs, ...options } = {
          ...REQUEST_LIMITS,
          ...limits,
          method: 'GET',
          headers: { 'accept-encoding': 'identity', ...headers },
          body: null,
          maxBytes,
        } as const
        const deadline = performance.now() + totalMs
        let target = check(url)
        for (let left = maxRedirects; ; left -= 1) {
          const request = { ...options, totalMs: deadline - performance.now() }
          const response = await send(target, request, progress)
          const body = await decodeBody(response.body, response.headers['content-encoding'], maxBytes)
          if (maxRedirects === 0 || !REDIRECTS.has(response.status))
            return { ...response, url: target.href, body }
          progress.redirected = true
          if (left === 0) throw new HttpError('bad_redirect')
          target = check(redirectTarget(target, response.headers.location))
        }
      }),
    /** Requests that still run fail as `aborted`. */
    close,
  }
}

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

/** Where a redirect leads. Never from https to http. The caller checks the URL. */
function redirectTarget(url: URL, location: string | undefined): string {
  const next = location === undefined ? null : URL.parse(location, url)
  const isDowngrade = url.protocol === 'https:' && next?.protocol === 'http:'
  if (next === null || isDowngrade) throw new HttpError('bad_redirect')
  // A fragment is allowed here but never sent to the host.
  next.hash = ''
  return next.href
}
