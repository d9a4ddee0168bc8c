import {
  toRecord,
  type TransactionRecord,
  type TransactionRow,
  type TransactionStore,
} from './transaction-store.ts'

/**
 * Announces this process's writes of transactions. Writes of other processes are found by polling.
 */
export class TransactionUpdates {
  readonly #waiting = new Map<string, Set<() => void>>()

  notify(id: string): void {
    for (const resolve of this.#waiting.get(id) ?? []) resolve()
  }

  /**
   * Resolves at the next write of the transaction, after `timeoutMs`, or when the signal aborts.
   */
  async next(id: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = this.#waiting.get(id) ?? new Set()
    this.#waiting.set(id, waiting.add(resolve))
    const timer = setTimeout(resolve, timeoutMs)
    const onAbort = (): void => resolve()
    signal?.addEventListener('abort', onAbort)
    if (signal?.aborted === true) resolve()
    await promise
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
    waiting.delete(resolve)
    if (waiting.size === 0) this.#waiting.delete(id)
  }
}

/** The longest delay until a write of another process is seen, in milliseconds. */
const REREAD_MS = 1_000

/**
 * Yields the current record, then each changed record, until the transaction is settled or the
 * signal aborts. Throws TRANSACTION_NOT_FOUND.
 */
export async function watchTransaction(
  id: string,
  { store, updates }: { readonly store: TransactionStore; readonly updates: TransactionUpdates },
) {
  const first = await store.get(id)
  return async function* (signal: AbortSignal): AsyncGenerator<TransactionRecord, void> {
    let row: TransactionRow | null = first
    let lastYielded = ''
    while (row !== null && !signal.aborted) {
      const record = toRecord(row)
      const text = JSON.stringify(record)
      if (text !== lastYielded) yield record
      lastYielded = text
      if (row.settled) return
      await updates.next(id, REREAD_MS, signal)
      if (!signal.aborted) row = await store.find(id)
    }
  }
}
