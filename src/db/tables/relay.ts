import type { ColumnType, Generated } from 'kysely'
import type { TransactionFailure, TransactionStatus } from '../../domain/transaction-status.ts'
import type { Timestamp } from './columns.ts'

/** A transaction that the relay prepared. Bytes are base64. */
export interface PreparedTransactionsTable {
  id: string
  status: TransactionStatus
  /** The message as prepared. */
  message: string
  last_valid_block_height: number
  /** The transaction as submitted, with all signatures; written before it is sent, and never changed. */
  signed_tx: string | null
  /** Base-58. */
  signature: string | null
  sent_at: Timestamp | null
  /** Whether a node has taken it. */
  accepted: Generated<boolean>
  /** Where it landed, as far as the ledger says now. */
  slot: number | null
  /** Once it was seen on the ledger, whatever became of it. */
  landed: Generated<boolean>
  /** How often in a row it was looked for in vain where it had been seen, or after it expired. */
  misses: Generated<number>
  error: ColumnType<TransactionFailure | null, string | null, string | null>
  sponsored: Generated<boolean>
  /** Nothing can change any more. */
  settled: Generated<boolean>
  /** Grows with each write, so that who read an older row writes nothing. */
  version: Generated<number>
  /** When somebody should look at it; in the future also while somebody does. */
  next_check_at: Timestamp
  created_at: Timestamp
}
