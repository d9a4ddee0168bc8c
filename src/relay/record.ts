import type { Selectable } from 'kysely'
import type { Database } from '../db/database.ts'

/** A row of prepared_transactions. */
export type TransactionRow = Selectable<Database['prepared_transactions']>

/** The part of a row that clients see. `error` is not null exactly when the status is `failed`. */
export type TransactionRecord = Readonly<
  Pick<
    TransactionRow,
    'id' | 'status' | 'signature' | 'error' | 'slot' | 'sponsored' | 'settled' | 'message'
  > & {
    /** ISO 8601. */
    preparedAt: string
    submittedAt: string | null
    lastValidBlockHeight: number
  }
>

export function toRecord(row: TransactionRow): TransactionRecord {
  const { id, status, signature, error, slot, sponsored, settled, message } = row
  return {
    id,
    status,
    signature,
    error,
    slot,
    sponsored,
    settled,
    message,
    preparedAt: new Date(row.created_at).toISOString(),
    submittedAt: row.sent_at === null ? null : new Date(row.sent_at).toISOString(),
    lastValidBlockHeight: row.last_valid_block_height,
  }
}
