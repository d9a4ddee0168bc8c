import type { Orm } from '../../db/orm-types.ts'
import type { WakeUp } from '../../platform/async/background-loop.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { RpcTransaction } from '../decode/rpc-transaction.ts'
import type { LedgerRpc } from '../rpc/ledger-rpc.ts'
import type { EventSink } from './write/write-events.ts'
import type { IndexerStatus } from './status.ts'

export interface IndexerOptions {
  orm: Orm
  rpc: LedgerRpc
  sink: EventSink
  /**
   * One URL, or a function that returns those of the usable nodes. Without it the indexer only
   * polls.
   */
  wsUrl?: string | (() => readonly string[])
  programId: string
  commitment: 'confirmed' | 'finalized'
  clock: Clock
  logger: Pick<Logger, 'info' | 'warn' | 'error' | 'debug'>
  /** How often to poll the node when nothing is announced. */
  pollMs?: number
  /** The minimum interval of finality checks. They take at most a tenth of the time. */
  verifyMs?: number
  /** How often a standby tries to become the leader. */
  standbyPollMs?: number
  /** Transactions per batch. */
  batchSize?: number
  /** Maximum batches fetched ahead. Together with `batchSize` it bounds memory. */
  inFlight?: number
}

/** A caller of `whenIdle`. */
export interface Waiter {
  /** The tip at the time of the call. */
  slot: number
  resolve: () => void
  reject: (reason: Error) => void
}

/** A new transaction of the registry. */
export interface SeenTransaction {
  signature: string
  /** Null if it failed: the indexer does not read these. */
  transaction: RpcTransaction | null
}

/** Shared by the indexer and its leader. */
export interface IndexerContext {
  options: IndexerOptions
  status: IndexerStatus
  signal: AbortSignal
  wakeUp: WakeUp
  waiters: Set<Waiter>
  outboxListeners: Set<() => void>
  transactionListeners: Set<(seen: SeenTransaction) => void>
}
