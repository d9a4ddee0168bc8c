import type { Kysely } from 'kysely'
import type PQueue from 'p-queue'
import type { Counter } from 'prom-client'
import type { RegistryAddresses } from '@agent-registry/program'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../db/database.ts'
import type { EntityManager } from '../db/orm-types.ts'
import { DomainError } from '../domain/errors.ts'
import type { SponsorLimits } from '../domain/sponsorship.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'
import type { CachedValue } from '../platform/async/cached-value.ts'
import type { Clock } from '../platform/clock.ts'
import type { FeePayerSigner } from '../platform/keys.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics/metrics.ts'
import type { PriorityFees } from './fees.ts'
import type { ChainHead } from './ledger-state.ts'
import type { RelayTiming } from './limits.ts'
import type { LedgerAmounts } from './sponsor-policy.ts'
import type { TransactionStore } from './transaction-store.ts'
import type { TransactionUpdates } from './watch.ts'

export interface TransactionsOptions {
  readonly em: EntityManager
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
  /** Null turns sponsorship off. */
  readonly sponsor: { readonly signer: FeePayerSigner; readonly limits: SponsorLimits } | null
}

/** What all parts of the folder share. */
export interface TransactionsContext extends Required<
  Omit<TransactionsOptions, 'allowedPrograms' | 'metrics' | 'sponsor'>
> {
  readonly kysely: Kysely<Database>
  readonly allowedPrograms: ReadonlySet<Pubkey>
  readonly addresses: RegistryAddresses
  readonly store: TransactionStore
  readonly updates: TransactionUpdates
  readonly head: CachedValue<ChainHead>
  readonly fees: PriorityFees
  /** Makes the tracker poll now. */
  readonly wakeTracker: () => void
  /** Null while sponsorship is off. */
  readonly sponsor: Sponsor | null
}

export interface Sponsor {
  readonly signer: FeePayerSigner
  readonly limits: SponsorLimits
  /**
   * One signature at a time, because all processes share one lock. Without it, those that wait for
   * the lock would hold all connections of the pool.
   */
  readonly signing: PQueue
  readonly amounts: LedgerAmounts
  /** Counts requests by operation and outcome. */
  readonly requests: Counter<'operation' | 'outcome'>
}

/** The context while sponsorship is on. */
export type SponsorContext = TransactionsContext & { readonly sponsor: Sponsor }

/** Throws SPONSORSHIP_OFF. */
export function sponsorContext(context: TransactionsContext): SponsorContext {
  const { sponsor } = context
  if (sponsor === null) throw new DomainError('SPONSORSHIP_OFF')
  return { ...context, sponsor }
}
