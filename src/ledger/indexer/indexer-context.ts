import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { LedgerRpc } from '../rpc/ledger-rpc.ts'
import type { IndexerStatus } from './status.ts'
import type { WakeUp } from '../../platform/async/wake-up.ts'
import type { Orm } from '../../db/orm-types.ts'

export interface IndexerOptions {
  orm: Orm
  rpc: LedgerRpc
  /** Of one node, or of those of several that may be listened to now. Without it the indexer polls only. */
  wsUrl?: string | (() => readonly string[])
  programId: string
  commitment: 'confirmed' | 'finalized'
  clock: Clock
  logger: Pick<Logger, 'info' | 'warn' | 'error' | 'debug'>
  /** The node is asked this often even when nothing was announced. */
  pollMs?: number
  /** How often finality is checked; less often when checking takes long, so that it uses a tenth of the time at most. */
  verifyMs?: number
  /** How often a standby tries to take over. */
  standbyPollMs?: number
  /** Transactions fetched at a time. */
  batchSize?: number
  /** Batches that are fetched ahead while those before them are written: with `batchSize` what bounds memory. */
  inFlight?: number
  /** A socket silent for this long counts as dead. */
  quietMs?: number
}

/** The parts that a leader shares with the indexer around it. */
export interface IndexerContext {
  options: IndexerOptions
  status: IndexerStatus
  signal: AbortSignal
  wakeUp: WakeUp
  waiters: Set<{ slot: number; resolve: () => void; reject: (reason: Error) => void }>
  outboxListeners: Set<() => void>
}
