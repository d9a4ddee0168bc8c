import type { LedgerRpc } from '../rpc/ledger-rpc.ts'
import type { Orm } from '../../db/orm-types.ts'

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

export interface AuditOptions extends LedgerReadingOptions {
  /** A difference counts only when it lasts this long: the indexer may be about to write it. */
  settleMs?: number
}

export interface AuditContext extends AuditOptions {
  commitment: 'confirmed' | 'finalized'
  batchSize: number
  inFlight: number
  signal: AbortSignal
}
