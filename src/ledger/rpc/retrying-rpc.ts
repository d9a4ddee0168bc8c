import { setTimeout as delay } from 'node:timers/promises'
import type { LedgerRpc, RpcCall } from './ledger-rpc.ts'
import { LedgerRpcError } from './rpc-error.ts'

export interface RetryOptions {
  signal: AbortSignal
  /** The first wait; it doubles up to `maxDelayMs`. A longer Retry-After of the node is honoured. */
  minDelayMs?: number
  maxDelayMs?: number
  /** After that many attempts the failure is thrown. */
  maxAttempts?: number
  onRetry?: (error: LedgerRpcError, waitMs: number) => void
}

/** Repeats transient failures, waiting longer each time. Aborting the signal ends every call at once. */
export function retryingRpc(rpc: LedgerRpc, options: RetryOptions): LedgerRpc {
  const minDelayMs = options.minDelayMs ?? 50
  const maxDelayMs = options.maxDelayMs ?? 5_000

  async function retry<T>(attempt: () => Promise<T>): Promise<T> {
    let wait = minDelayMs
    for (let attempts = 1; ; attempts += 1) {
      options.signal.throwIfAborted()
      try {
        return await abortable(attempt(), options.signal)
      } catch (error) {
        if (!(error instanceof LedgerRpcError) || !error.isTransient) throw error
        if (attempts >= (options.maxAttempts ?? Infinity)) throw error
        const waitMs = Math.max(wait, error.retryAfterMs ?? 0)
        options.onRetry?.(error, waitMs)
        await delay(waitMs, undefined, { signal: options.signal })
        wait = Math.min(wait * 2, maxDelayMs)
      }
    }
  }

  return {
    call: (method, params) => retry(() => rpc.call(method, params)),
    batch: (calls) => retry(() => rpc.batch(calls)),
    settle: <T>(calls: RpcCall[]) =>
      retry(async () => {
        const results = await rpc.settle<T>(calls)
        for (const result of results) if (result instanceof LedgerRpcError && result.isTransient) throw result
        return results
      }),
  }
}

async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', abort)
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
