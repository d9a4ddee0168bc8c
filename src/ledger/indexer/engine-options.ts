import type { Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { LedgerRpc } from '../rpc/ledger-rpc.ts'
import type { IndexerPosition } from './position.ts'
import type { UnsettledReads } from './finality/non-final-accounts.ts'

export interface EngineOptions {
  rpc: LedgerRpc
  programId: string
  commitment: string
  signal: AbortSignal
  epoch: number
  /** How often leaders have committed before. */
  commits: number
  position: IndexerPosition
  /** Some accounts may be known from no transaction. */
  sweepDue: boolean
  unsettled?: UnsettledReads
  /** The finalized slot when reading began: entries well below it need no second look. */
  finalizedTip: number
  /** Transactions fetched at a time. */
  batchSize: number
  /** Batches fetched ahead of those that are written, and written in one database transaction, at most. */
  inFlight: number
  /** Rows that the tables lack are copied in, and `transaction` begins anew where they turn out to hold some. Otherwise all are merged. */
  copies: boolean
  /** Outside of transactions. */
  db: () => Kysely<Database>
  transaction: (work: (db: Kysely<Database>) => Promise<void>) => Promise<void>
  /** Called after each commit. */
  onWritten: (progress: { transactions: number; events: number; outbox: number }) => void
}

export interface CatchUpQuery {
  minContextSlot?: number
  /** From the last finalized transaction on, since what lies above it may have changed. */
  again?: boolean
  onBacklog?: (count: number) => void
  /** Done while the node lists, before any transaction is read. */
  meanwhile?: () => Promise<void>
}
