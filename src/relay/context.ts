import type { Kysely } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../db/database.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'
import type { CachedValue } from '../platform/async/cached-value.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics/metrics.ts'
import type { ChainHead } from './chain-head.ts'
import type { PriorityFees } from './fees.ts'
import type { RelayTiming } from './policy.ts'
import type { SponsorHooks } from './sponsor-hooks.ts'
import type { TransactionStore } from './transaction-store.ts'
import type { TransactionUpdates } from './transaction-updates.ts'

export interface RelayOptions {
  readonly kysely: Kysely<Database>
  readonly rpc: LedgerCalls
  readonly clock: Clock
  readonly registryProgram: Pubkey
  /** Replaces the default allowlist. */
  readonly allowedPrograms: readonly Pubkey[] | null
  /** How long a submit waits for `confirmed` or `failed`, in milliseconds. */
  readonly submitWaitMs: number
  readonly logger: Pick<Logger, 'warn'>
  readonly timing?: RelayTiming
  readonly newId?: () => string
  readonly metrics?: Metrics
  /** Without it sponsored transactions are refused. */
  readonly sponsor?: SponsorHooks
}

/** What the parts of the relay share. */
export interface RelayContext extends Required<Omit<RelayOptions, 'allowedPrograms' | 'metrics'>> {
  readonly allowedPrograms: ReadonlySet<Pubkey>
  readonly store: TransactionStore
  readonly updates: TransactionUpdates
  readonly head: CachedValue<ChainHead>
  readonly fees: PriorityFees
  /** Makes the tracker poll now. */
  readonly wakeTracker: () => void
}
