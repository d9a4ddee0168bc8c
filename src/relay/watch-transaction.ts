import { DomainError } from '../domain/errors.ts'
import type { TransactionUpdates } from './transaction-updates.ts'
import { toRecord, type TransactionRecord, type TransactionRow } from './record.ts'
import type { TransactionStore } from './transaction-store.ts'

/** Rejects with TRANSACTION_NOT_FOUND; else gives the stream of its changes, which ends with the signal. */
export type WatchTransaction = (
  id: string,
) => Promise<(signal: AbortSignal) => AsyncGenerator<TransactionRecord, void>>

/** A write of another process is seen this much later, in milliseconds. */
const REREAD_MS = 1_000

/** The record as it is, then at each change of what a client may know, until it is settled: finalized, or never to land. */
export function createWatchTransaction(
  store: TransactionStore,
  changes: TransactionUpdates,
): WatchTransaction {
  return async (id) => {
    const first = await store.find(id)
    if (first === null) throw new DomainError('TRANSACTION_NOT_FOUND')
    return async function* (signal) {
      let row: TransactionRow | null = first
      let told = ''
      while (row !== null && !signal.aborted) {
        const record = toRecord(row)
        const text = JSON.stringify(record)
        if (text !== told) yield record
        told = text
        if (row.settled) return
        await changes.next(id, REREAD_MS, signal)
        if (!signal.aborted) row = await store.find(id)
      }
    }
  }
}
