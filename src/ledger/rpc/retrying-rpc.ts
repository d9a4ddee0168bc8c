import { setTimeout as delay } from 'node:timers/promises'
import { abortable, chunksOf } from '../../platform/async/promises.ts'
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
 * After a timeout or an HTTP error, a batch is sent again in parts of half the size.
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

  async function settleAll<T>(calls: RpcCall[]): Promise<(T | LedgerRpcError)[]> {
    const results = await rpc.settle<T>(calls)
    for (const result of results) if (result instanceof LedgerRpcError && result.isTransient) throw result
    return results
  }

  return {
    call: (method, params) => retry(() => rpc.call(method, params)),
    batch: <T>(calls: RpcCall[]) => retry(inShrinkingParts<T>(calls, (part) => rpc.batch<T>(part))),
    settle: <T>(calls: RpcCall[]) => retry(inShrinkingParts(calls, (part) => settleAll<T>(part))),
  }
}

/**
 * The response may be too large to arrive in time: a transaction has up to 64 inner instructions,
 * each with up to 10 KiB of data. Each attempt after such a failure halves the parts.
 */
function inShrinkingParts<R>(calls: RpcCall[], send: (part: RpcCall[]) => Promise<R[]>): () => Promise<R[]> {
  let size = Math.max(1, calls.length)
  return async () => {
    const results: R[] = []
    try {
      for (const part of chunksOf(calls, size)) results.push(...(await send(part)))
      return results
    } catch (error) {
      if (error instanceof LedgerRpcError && mayBeTooLarge(error)) size = Math.ceil(size / 2)
      throw error
    }
  }
}

const mayBeTooLarge = ({ kind, code }: LedgerRpcError): boolean =>
  kind === 'timeout' || (kind === 'http' && code !== 429)
