import type { Selectable } from 'kysely'
import type { Database } from '../db/database.ts'

/** A row of prepared_transactions. */
export type TransactionRow = Selectable<Database['prepared_transactions']>

/** The part of a row that clients see. `error` is not null exactly when the status is `failed`. */
export type TransactionRecord = Readonly<
  Pick<TransactionRow, 'id' | 'status' | 'signature' | 'error' | 'slot' | 'sponsored'>
>

export function toRecord(row: TransactionRow): TransactionRecord {
  const { id, status, signature, error, slot, sponsored } = row
  return { id, status, signature, error, slot, sponsored }
}
