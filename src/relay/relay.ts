import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../db/database.ts'
import type { Logger } from '../platform/logger.ts'
import { DomainError } from '../domain/errors.ts'
import { countOutcome } from '../platform/metrics/count-outcome.ts'
import { createMetrics, type Metrics } from '../platform/metrics/metrics.ts'
import { TransactionUpdates } from './transaction-updates.ts'
import { createChainHead } from './chain-head.ts'
import { estimateFees, type EstimateFeesInput } from './estimate-fees.ts'
import { createFeeSamples, type FeeEstimate } from './fees.ts'
import { getTransaction } from './get-transaction.ts'
import { createRelayMetrics } from './metrics.ts'
import { defaultAllowedPrograms } from './policy.ts'
import {
  build,
  type BuildTransaction,
  prepare,
  type PreparedTransactionView,
  type PrepareInput,
} from './prepare.ts'
import type { TransactionRecord } from './record.ts'
import type { SponsorHooks } from './sponsor-hooks.ts'
import { type Authorize, submit, type SubmitInput } from './submit.ts'
import { RELAY_TIMING, type RelayTiming } from './timing.ts'
import { createTracker, type Tracker } from './tracker.ts'
import { createTransactionStore } from './transaction-store.ts'
import { createWatchTransaction, type WatchTransaction } from './watch-transaction.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'

export interface RelayService {
  /** `sponsored: true` throws what `src/sponsorship` throws; `clientIp` is counted there. */
  prepare(input: PrepareInput, clientIp?: string): Promise<PreparedTransactionView>
  estimateFees(input: EstimateFeesInput): Promise<FeeEstimate>
  submit(input: SubmitInput): Promise<TransactionRecord>
  get(id: string): Promise<TransactionRecord>
}

export interface RelayOptions {
  readonly kysely: Kysely<Database>
  readonly rpc: LedgerCalls
  readonly clock: Clock
  readonly registryProgram: Pubkey
  /** Replaces the default allowlist. */
  readonly allowedPrograms: readonly Pubkey[] | null
  /** How long a submit waits for the outcome, in milliseconds. */
  readonly submitWaitMs: number
  readonly logger: Pick<Logger, 'warn'>
  readonly timing?: RelayTiming
  readonly newId?: () => string
  readonly metrics?: Metrics
  /** Null or absent where nothing is sponsored. */
  readonly sponsor?: SponsorHooks | null
}

export interface Relay {
  readonly service: RelayService
  /** To be started by the process that is to follow transactions. */
  readonly tracker: Tracker
  /** For `src/live-events`. */
  readonly watch: WatchTransaction
  /** For `src/sponsorship`: the parts of prepare and submit that come after its own checks. */
  readonly build: BuildTransaction
  readonly submit: (input: SubmitInput, admit: Authorize) => Promise<TransactionRecord>
}

/** The relay of one process; several share a database. */
export function createRelay(options: RelayOptions): Relay {
  const { kysely, rpc, clock, registryProgram, submitWaitMs, logger } = options
  const { timing = RELAY_TIMING, newId = randomUUID, sponsor = null } = options
  const { requests, transactions } = createRelayMetrics(options.metrics ?? createMetrics())
  const store = createTransactionStore(kysely, ({ status, error, sponsored }) =>
    transactions.inc({ status, error: error?.code ?? 'none', sponsored: String(sponsored) }),
  )
  const head = createChainHead(rpc, clock)
  const fees = createFeeSamples(rpc, clock)
  const allowedPrograms = new Set(options.allowedPrograms ?? defaultAllowedPrograms(registryProgram))
  const preparing = { rpc, clock, store, head, fees, registryProgram, allowedPrograms, newId }
  const dispatching = { rpc, clock, store, changes: new TransactionUpdates(), timing, registryProgram }
  const tracker = createTracker({ ...dispatching, logger })
  const submitting = { ...dispatching, head, submitWaitMs, wakeTracker: () => tracker.wake(), sponsor }
  const buildThis: BuildTransaction = (request, terms) => build(request, terms, preparing)
  return {
    tracker,
    watch: createWatchTransaction(store, dispatching.changes),
    build: buildThis,
    submit: (input, admit) => submit(input, submitting, admit),
    service: {
      prepare: async (input, clientIp = '') => {
        if (input.sponsored !== true) return countOutcome(requests, 'prepare', prepare(input, preparing))
        if (sponsor === null) throw new DomainError('SPONSORSHIP_OFF')
        return sponsor.prepare(input, clientIp, buildThis)
      },
      estimateFees: (input) => countOutcome(requests, 'estimateFees', estimateFees(input, fees)),
      submit: (input) => countOutcome(requests, 'submit', submit(input, submitting)),
      get: (id) => getTransaction(store, id),
    },
  }
}
