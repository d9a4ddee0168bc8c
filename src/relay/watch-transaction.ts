import type { RelayContext } from './context.ts'
import { toRecord, type TransactionRecord, type TransactionRow } from './record.ts'

/** Returns a stream of records, which ends with the signal. Throws TRANSACTION_NOT_FOUND. */
export type WatchTransaction = (
  id: string,
) => Promise<(signal: AbortSignal) => AsyncGenerator<TransactionRecord, void>>

/** The longest delay until a write of another process is seen, in milliseconds. */
const REREAD_MS = 1_000

/** Yields the current record, then each changed record, until the transaction is settled. */
export async function watchTransaction(id: string, { store, updates }: RelayContext) {
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
