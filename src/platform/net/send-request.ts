import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { HttpError } from './error-codes.ts'
import type { Pools } from './pools.ts'

/** Time limits of one request. Milliseconds. */
export interface RequestLimits {
  /** For DNS, connection and response together. 15,000 by default. */
  readonly totalMs?: number
  /** Between two chunks of the body. For the whole body of a POST. 2,000 by default. */
  readonly idleMs?: number
}

export const REQUEST_LIMITS = { totalMs: 15_000, idleMs: 2_000 }

/** Limits that `withLimits` computes for one request. */
export interface Deadlines {
  readonly signal: AbortSignal
  readonly headersMs: number
  readonly idleMs: number
}

/**
 * undici opens a spare connection after an abort, but not after its own timeout. So that fires
 * first.
 */
export const headersLimit = (totalMs: number): number => Math.max(1, Math.floor(totalMs * 0.93))

/** Runs `run` with a signal that fires after `totalMs` or with the caller's signal. */
export async function withLimits<Result>(
  limits: RequestLimits & { readonly signal?: AbortSignal },
  run: (deadlines: Deadlines) => Promise<Result>,
): Promise<Result> {
  const { totalMs, idleMs, signal } = { ...REQUEST_LIMITS, ...limits }
  // Not AbortSignal.any: it keeps memory per request for as long as the caller's signal lives.
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new HttpError('timeout')), totalMs)
  const onAbort = (): void => controller.abort(new HttpError('aborted'))
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted === true) onAbort()
  try {
    return await run({ signal: controller.signal, headersMs: headersLimit(totalMs), idleMs })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

export interface RawResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Readable
}

export interface RawRequest extends Deadlines {
  readonly headers: Readonly<Record<string, string>>
}

/** Sends one GET to a checked URL, without redirects. `read` must end or destroy the body. */
export function sendRequest<Result>(
  pools: Pools,
  url: URL,
  { headers, signal, headersMs, idleMs }: RawRequest,
  read: (response: RawResponse) => Promise<Result>,
): Promise<Result> {
  return pools.use(url.origin, async (pool) => {
    const response = await pool.request({
      path: `${url.pathname}${url.search}`,
      method: 'GET',
      headers,
      signal,
      headersTimeout: headersMs,
      bodyTimeout: idleMs,
    })
    // A body that is destroyed early emits an error later, when nobody listens.
    response.body.on('error', () => undefined)
    return read({ status: response.statusCode, headers: response.headers, body: response.body })
  })
}
