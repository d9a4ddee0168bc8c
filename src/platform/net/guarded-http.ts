import type { IncomingHttpHeaders } from 'node:http'
import { type AddressGuardOptions, createAddressGuard } from './address-guard.ts'
import { checkUrl, UrlRefused, type UrlRules } from './check-url.ts'
import { createConnector } from './connector.ts'
import { createDnsLookup, guardedLookup, type HostLookup } from './dns-lookup.ts'
import { HttpError, errorCodeOf, type HttpErrorCode } from './error-codes.ts'
import { DEFAULT_LIMITS, exchange, type RequestLimits, withDeadline } from './exchange.ts'
import { followRedirects } from './follow-redirects.ts'
import type { NetMetrics } from './metrics.ts'
import { createPools } from './pools.ts'
import { captureBody, decodeBody, readBody } from './read-body.ts'

export interface GuardedHttpOptions extends UrlRules, AddressGuardOptions {
  /** PEM of certificate authorities that are trusted besides those of the system. */
  readonly extraCa?: string
  /** DNS by default. */
  readonly lookup?: HostLookup
  /** 5,000 by default. */
  readonly connectTimeoutMs?: number
  /**
   * 32 by default. Further requests wait, and that counts as their time: callers must keep to less by themselves, for else one path of an
   * origin that never answers would make the others time out.
   */
  readonly connectionsPerOrigin?: number
  readonly metrics?: NetMetrics
}

export interface PostRequest extends RequestLimits {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

export interface GetRequest extends RequestLimits {
  /** Of the body, as it arrives and decoded. More is `too_large`. */
  readonly maxBytes: number
  readonly headers?: Readonly<Record<string, string>>
  /** 0 by default: a redirect is an answer like others. */
  readonly maxRedirects?: number
}

export interface HttpResponse {
  readonly outcome: 'response'
  /** Where it came from, after redirects. */
  readonly url: string
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
  /** Only of POST: there was more than is kept, or its end did not come in time. */
  readonly truncated: boolean
  readonly durationMs: number
}

export interface HttpFailure {
  readonly outcome: 'failed'
  readonly errorCode: HttpErrorCode
  readonly durationMs: number
}

export type HttpResult = HttpResponse | HttpFailure

/** HTTP to URLs that strangers give. Only public addresses are reached, with limits on everything that a hostile host can draw out. */
export interface GuardedHttp {
  /** The URL, parsed; throws UrlRefused with a reason for the client. The name's addresses are looked at when it is called. */
  checkUrl(url: string): URL
  /** Keeps at most 16 KiB of the answer's body, not decoded, and waits at most `idleMs` for it: once there is a status, that is the answer. */
  post(url: string, request: PostRequest): Promise<HttpResult>
  get(url: string, request: GetRequest): Promise<HttpResult>
  /** Requests that still run fail as `aborted`. */
  close(): Promise<void>
}

export const MAX_CAPTURED_BYTES = 16 * 1024
/** Unused connections are closed after it. */
const KEEP_ALIVE_MS = 10_000

export function createGuardedHttp(options: GuardedHttpOptions): GuardedHttp {
  const { lookup = createDnsLookup(), connectTimeoutMs = 5000, extraCa, metrics = null } = options
  const guard = createAddressGuard(options)
  const connector = createConnector({
    lookup: guardedLookup(lookup, guard),
    connectTimeoutMs,
    metrics,
    ...(extraCa === undefined ? {} : { extraCa }),
  })
  const pools = createPools(
    {
      connect: connector.connect,
      allowH2: false,
      connections: options.connectionsPerOrigin ?? 32,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: 16 * 1024,
    },
    KEEP_ALIVE_MS,
  )
  const check = (url: string): URL => checkUrl(url, options, guard)

  type Answer = Omit<HttpResponse, 'outcome' | 'durationMs'>
  const run = async (
    limits: RequestLimits,
    answer: (timing: { signal: AbortSignal; headersMs: number; idleMs: number }) => Promise<Answer>,
  ): Promise<HttpResult> => {
    const { totalMs = DEFAULT_LIMITS.totalMs, idleMs = DEFAULT_LIMITS.idleMs, signal } = limits
    // Aborting makes undici open a spare connection, which its own time-out does not: that one shall come first.
    const headersMs = Math.max(1, Math.floor(totalMs * 0.93))
    const startedAt = performance.now()
    const durationMs = (): number => Math.round(performance.now() - startedAt)
    try {
      const given = await withDeadline({ totalMs, signal }, (combined) =>
        answer({ signal: combined, headersMs, idleMs }),
      )
      return { outcome: 'response', ...given, durationMs: durationMs() }
    } catch (error) {
      const errorCode = error instanceof UrlRefused ? 'ssrf_blocked' : errorCodeOf(error)
      metrics?.failures.inc({ code: errorCode })
      return { outcome: 'failed', errorCode, durationMs: durationMs() }
    }
  }

  return {
    checkUrl: check,
    post: (url, { headers, body, ...limits }) =>
      run(limits, (timing) => {
        const target = check(url)
        return exchange(pools, target, { method: 'POST', headers, body, ...timing }, async (head) => ({
          url: target.href,
          status: head.status,
          headers: head.headers,
          ...(await captureBody(head.body, MAX_CAPTURED_BYTES, timing.idleMs)),
        }))
      }),
    get: (url, { maxBytes, headers = {}, maxRedirects = 0, ...limits }) =>
      run(limits, (timing) =>
        followRedirects({ url, maxRedirects, check }, (target) =>
          exchange(
            pools,
            target,
            { method: 'GET', headers: { 'accept-encoding': 'identity', ...headers }, ...timing },
            async (head) => {
              const bytes = await readBody(head.body, maxBytes, head.headers['content-length'])
              return {
                url: target.href,
                status: head.status,
                headers: head.headers,
                body: await decodeBody(bytes, head.headers['content-encoding'], maxBytes),
                truncated: false,
              }
            },
          ),
        ),
      ),
    close: async () => {
      connector.release()
      await pools.destroy(new HttpError('aborted'))
    },
  }
}
