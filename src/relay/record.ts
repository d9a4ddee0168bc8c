import type { Selectable } from 'kysely'
import type { Database } from '../db/database.ts'
import type { TransactionFailure, TransactionStatus } from '../domain/transaction-status.ts'

/** A row of prepared_transactions. */
export type TransactionRow = Selectable<Database['prepared_transactions']>

/** The part of a row that clients see. */
export interface TransactionRecord {
  readonly id: string
  readonly status: TransactionStatus
  /** base-58. Null until the transaction is submitted. */
  readonly signature: string | null
  /** Not null exactly when the status is `failed`. */
  readonly error: TransactionFailure | null
  /** Null until the transaction landed. */
  readonly slot: number | null
  readonly sponsored: boolean
}

export function toRecord(row: TransactionRow): TransactionRecord {
  const { id, status, signature, error, slot, sponsored } = row
  return { id, status, signature, error, slot, sponsored }
}
