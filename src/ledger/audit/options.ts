import type { Orm } from '../../db/orm-types.ts'
import type { LedgerRpc } from '../rpc/ledger-rpc.ts'

/** For work that reads the whole ledger. */
export interface LedgerScanOptions {
  orm: Orm
  rpc: LedgerRpc
  programId: string
  commitment?: 'confirmed' | 'finalized'
  /** Transactions per batch. */
  batchSize?: number
  /** Maximum batches in progress. Together with `batchSize` it bounds memory. */
  inFlight?: number
  onProgress?: (progress: { stage: 'accounts' | 'transactions'; done: number; total: number }) => void
}

export interface AuditOptions extends LedgerScanOptions {
  /** How long a difference must last, because the indexer may be about to write the row. */
  settleMs?: number
}

export interface AuditContext extends Required<AuditOptions> {
  signal: AbortSignal
}
