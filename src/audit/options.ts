import type { Orm } from '../db/orm.ts'
import type { LedgerRpc } from '../ledger/rpc.ts'

/** What reading the whole ledger takes. */
export interface LedgerReadingOptions {
  orm: Orm
  rpc: LedgerRpc
  programId: string
  commitment?: 'confirmed' | 'finalized'
  /** Transactions fetched at a time. */
  batchSize?: number
  /** Batches at work at a time: with `batchSize` what bounds memory. */
  inFlight?: number
  signal?: AbortSignal
  onProgress?: (progress: { stage: 'accounts' | 'transactions'; done: number; total: number }) => void
}
