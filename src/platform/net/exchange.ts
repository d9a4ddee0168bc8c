import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { HttpError } from './error-codes.ts'
import type { Pools } from './pools.ts'

export interface RequestLimits {
  /** All of it: DNS, connection, answer. 15,000 by default. */
  readonly totalMs?: number
  /** Between two pieces of the body. 2,000 by default. */
  readonly idleMs?: number
  readonly signal?: AbortSignal
}

export const DEFAULT_LIMITS = { totalMs: 15_000, idleMs: 2_000 } as const

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

export interface Head {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Readable
}

/** One request to one URL that was checked; no redirect is followed. `read` must end or destroy the body. Throws. */
export function exchange<Result>(
  pools: Pools,
  url: URL,
  request: ExchangeRequest & {
    readonly signal: AbortSignal
    readonly headersMs: number
    readonly idleMs: number
  },
  read: (head: Head) => Promise<Result>,
): Promise<Result> {
  const { method, headers, body, signal, headersMs, idleMs } = request
  return pools.use(url.origin, async (pool) => {
    const answer = await pool.request({
      path: `${url.pathname}${url.search}`,
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      signal,
      headersTimeout: headersMs,
      bodyTimeout: idleMs,
    })
    // A body that is destroyed early says so once more when nobody listens any longer.
    answer.body.on('error', () => undefined)
    return read({ status: answer.statusCode, headers: answer.headers, body: answer.body })
  })
}

/** Runs `run` with a signal that fires after `totalMs` or with the caller's; times what it took. */
export async function withDeadline<Result>(
  { totalMs, signal }: { totalMs: number; signal: AbortSignal | undefined },
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new HttpError('timeout')), totalMs)
  const onAbort = (): void => controller.abort(new HttpError('aborted'))
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted === true) onAbort()
  try {
    return await run(controller.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}
