import { setTimeout as delay } from 'node:timers/promises'
import type { LedgerRpc, RpcCall } from './ledger-rpc.ts'
import { LedgerRpcError } from './rpc-error.ts'

export interface RetryOptions {
  signal: AbortSignal
  /**
   * The first wait. It doubles up to five seconds. A longer Retry-After of the node is honoured.
   */
  minDelayMs?: number
  /** The error of the last attempt is thrown. */
  maxAttempts?: number
  onRetry?: (error: LedgerRpcError, waitMs: number) => void
}

const MAX_DELAY_MS = 5_000

/**
 * Retries transient failures with exponential backoff. Aborting the signal ends every call at once.
 */
export function retryingRpc(rpc: LedgerRpc, options: RetryOptions): LedgerRpc {
  const { signal, minDelayMs = 50, maxAttempts = Infinity, onRetry } = options

  async function retry<T>(work: () => Promise<T>): Promise<T> {
    let backoffMs = minDelayMs
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted()
      try {
        return await abortable(work(), signal)
      } catch (error) {
        if (!(error instanceof LedgerRpcError) || !error.isTransient || attempt >= maxAttempts) throw error
        const waitMs = Math.max(backoffMs, error.retryAfterMs ?? 0)
        onRetry?.(error, waitMs)
        await delay(waitMs, undefined, { signal })
        backoffMs = Math.min(backoffMs * 2, MAX_DELAY_MS)
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
