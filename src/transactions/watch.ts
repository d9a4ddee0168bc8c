import { EventEmitter, once } from 'node:events'
import {
  toRecord,
  type TransactionRecord,
  type TransactionRow,
  type TransactionStore,
} from './transaction-store.ts'

/** Announces writes of this process. Those of other processes are found by polling. */
export class TransactionUpdates {
  readonly #writes = new EventEmitter().setMaxListeners(0)

  notify(id: string): void {
    this.#writes.emit(id)
  }

  /** Resolves at the next write, after `timeoutMs`, or when the signal aborts. */
  async next(id: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const timeout = AbortSignal.timeout(timeoutMs)
    const ending = signal === undefined ? timeout : AbortSignal.any([timeout, signal])
    await once(this.#writes, id, { signal: ending }).catch(() => undefined)
  }
}

/** The longest delay until a write of another process is seen, in milliseconds. */
const REREAD_MS = 1_000

/** Yields the record, then each changed one, until it is settled. Throws TRANSACTION_NOT_FOUND. */
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
