import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { HttpError } from './error-codes.ts'
import type { Pools } from './pools.ts'

/** Time limits of one request, and a signal that the caller can abort. Milliseconds. */
export interface RequestLimits {
  /** For DNS, connection and response together. 15,000 by default. */
  readonly totalMs?: number
  /** Between two chunks of the body. 2,000 by default. */
  readonly idleMs?: number
  readonly signal?: AbortSignal
}

/** Limits that `withLimits` computes for one request. */
export interface Deadlines {
  readonly signal: AbortSignal
  readonly headersMs: number
  readonly idleMs: number
}

/** Runs `run` with a signal that fires after `totalMs` or with the caller's signal. */
export async function withLimits<Result>(
  { totalMs = 15_000, idleMs = 2_000, signal }: RequestLimits,
  run: (deadlines: Deadlines) => Promise<Result>,
): Promise<Result> {
  // Not AbortSignal.any: it keeps memory per request for as long as the caller's signal lives.
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new HttpError('timeout')), totalMs)
  const onAbort = (): void => controller.abort(new HttpError('aborted'))
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted === true) onAbort()
  // undici opens a spare connection after an abort, but not after its own timeout. So that fires
  // first.
  const headersMs = Math.max(1, Math.floor(totalMs * 0.93))
  try {
    return await run({ signal: controller.signal, headersMs, idleMs })
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
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** Sends one request to a checked URL, without redirects. `read` must end or destroy the body. */
export function sendRequest<Result>(
  pools: Pools,
  url: URL,
  { method, headers, body, signal, headersMs, idleMs }: RawRequest,
  read: (response: RawResponse) => Promise<Result>,
): Promise<Result> {
  return pools.use(url.origin, async (pool) => {
    const response = await pool.request({
      path: `${url.pathname}${url.search}`,
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      signal,
      headersTimeout: headersMs,
      bodyTimeout: idleMs,
    })
    // A body that is destroyed early emits an error later, when nobody listens.
    response.body.on('error', () => undefined)
    return read({ status: response.statusCode, headers: response.headers, body: response.body })
  })
}
