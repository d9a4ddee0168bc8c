import { DomainError } from '../domain/errors.ts'
import { toRecord, type TransactionRecord } from './record.ts'
import type { TransactionStore } from './transaction-store.ts'

/** Throws TRANSACTION_NOT_FOUND, also for what cannot be an id. */
export async function getTransaction(store: TransactionStore, id: string): Promise<TransactionRecord> {
  const row = await store.find(id)
  if (row === null) throw new DomainError('TRANSACTION_NOT_FOUND')
  return toRecord(row)
}
