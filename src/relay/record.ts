import type { Selectable } from 'kysely'
import type { Database } from '../db/database.ts'
import type { TransactionFailure, TransactionStatus } from '../domain/transaction-status.ts'

/** A row of prepared_transactions. */
export type TransactionRow = Selectable<Database['prepared_transactions']>

/** What a client may know of a transaction. */
export interface TransactionRecord {
  readonly id: string
  readonly status: TransactionStatus
  /** Base-58; null before it was submitted. */
  readonly signature: string | null
  /** Exactly where the status is `failed`. */
  readonly error: TransactionFailure | null
  /** Null before it landed. */
  readonly slot: number | null
  readonly sponsored: boolean
}

export function toRecord({
  id,
  status,
  signature,
  error,
  slot,
  sponsored,
}: TransactionRow): TransactionRecord {
  return { id, status, signature, error, slot, sponsored }
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether the text can be the id of a transaction; anything else is not looked up. */
export function isTransactionId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value)
}
