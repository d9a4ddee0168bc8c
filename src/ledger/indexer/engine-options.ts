import type { Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { LedgerRpc } from '../rpc/ledger-rpc.ts'
import type { OpenedLedger } from './open-ledger.ts'

export interface EngineOptions extends OpenedLedger {
  rpc: LedgerRpc
  programId: string
  commitment: string
  signal: AbortSignal
  /** Transactions per batch. */
  batchSize: number
  /** Maximum batches that are fetched ahead, and that one database transaction writes. */
  inFlight: number
  /**
   * Writes new rows by COPY. If the tables contain a row already, `transaction` must be able to start
   * again. Otherwise all rows are merged.
   */
  useCopy: boolean
  /** For reads outside of transactions. */
  db: () => Kysely<Database>
  transaction: (work: (db: Kysely<Database>) => Promise<void>) => Promise<void>
  /** Called after each commit of transactions. */
  onWritten: (written: { transactions: number; events: number; outbox: number }) => void
}
