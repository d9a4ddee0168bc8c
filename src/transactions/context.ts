import PQueue from 'p-queue'
import { Counter } from 'prom-client'
import { registryAddresses } from '@agent-registry/program'
import type { Pubkey } from '@agent-registry/solana'
import { Sponsorship } from '../db/entities/sponsorship.ts'
import type { EntityManager } from '../db/orm-types.ts'
import { DomainError } from '../domain/errors.ts'
import type { SponsorLimits, SponsorshipKind } from '../domain/sponsorship.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'
import type { Clock } from '../platform/clock.ts'
import type { FeePayerSigner } from '../platform/keys.ts'
import type { Logger } from '../platform/logger.ts'
import { addGauge, createMetrics, type Metrics } from '../platform/metrics/metrics.ts'
import { createPriorityFees } from './fees.ts'
import { createChainHead } from './ledger-state.ts'
import { defaultAllowedPrograms, RELAY_TIMING, type RelayTiming } from './limits.ts'
import { createLedgerAmounts, type LedgerAmounts } from './sponsor-policy.ts'
import { type TransactionRow, TransactionStore } from './transaction-store.ts'
import { TransactionUpdates } from './watch.ts'

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
  readonly metrics?: Metrics
  /** Null turns sponsorship off. */
  readonly sponsor: { readonly signer: FeePayerSigner; readonly limits: SponsorLimits } | null
}

export type TransactionsContext = ReturnType<typeof createContext>

/** What all parts of the folder share. `wakeTracker` makes the tracker poll now. */
export function createContext(options: TransactionsOptions, wakeTracker: () => void) {
  const { em, rpc, clock, registryProgram, sponsor, metrics = createMetrics() } = options
  const amounts = sponsor && createLedgerAmounts(rpc, clock, sponsor.signer.pubkey)
  const counters = createCounters(metrics, em, amounts)
  const onOutcome = ({ status, error, sponsored }: TransactionRow): void =>
    counters.transactions.inc({ status, error: error?.code ?? 'none', sponsored: String(sponsored) })
  return {
    timing: RELAY_TIMING,
    ...options,
    kysely: em.getKysely(),
    addresses: registryAddresses(registryProgram),
    allowedPrograms: new Set(options.allowedPrograms ?? defaultAllowedPrograms(registryProgram)),
    store: new TransactionStore(em, onOutcome),
    updates: new TransactionUpdates(),
    head: createChainHead(rpc, clock),
    fees: createPriorityFees(rpc, clock),
    counters,
    wakeTracker,
    /** Null while sponsorship is off. */
    sponsor: sponsor &&
      amounts && {
        ...sponsor,
        amounts,
        /** One signature at a time, or those that wait for the lock would hold all connections. */
        signing: new PQueue({ concurrency: 1 }),
      },
  }
}

/** The context while sponsorship is on. */
export type SponsorContext = TransactionsContext & {
  readonly sponsor: NonNullable<TransactionsContext['sponsor']>
}

/** Throws SPONSORSHIP_OFF. */
export function sponsorContext(context: TransactionsContext): SponsorContext {
  const { sponsor } = context
  if (sponsor === null) throw new DomainError('SPONSORSHIP_OFF')
  return { ...context, sponsor }
}

const KINDS: readonly SponsorshipKind[] = ['registration', 'transaction']

/** `amounts` is null while sponsorship is off. */
function createCounters(metrics: Metrics, em: EntityManager, amounts: LedgerAmounts | null) {
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name: `gateway_${name}_total`, help, labelNames, registers: [metrics] })
  // One that cannot be read is NaN, so that the other metrics are still available.
  const gauge = (name: string, help: string, read: () => Promise<number>) =>
    addGauge(metrics, { name: `gateway_sponsorship_${name}`, help }, () => read().catch(() => NaN))
  const requests = counter(
    'relay_requests',
    'Relay requests by operation and outcome: ok or the error code',
    'operation',
    'outcome',
  )
  const transactions = counter(
    'relay_transactions',
    'Transactions that became confirmed or failed, by status and error code; again after a fork',
    'status',
    'error',
    'sponsored',
  )
  gauge('open_transactions', 'Transactions that the fee payer signed and that have not landed yet', () =>
    em.fork().count(Sponsorship, { state: 'submitted' }),
  )
  if (amounts !== null)
    gauge('fee_payer_lamports', 'Balance of the fee payer in lamports', async () =>
      Number(await amounts.feePayerBalance.get()),
    )
  const spent = counter(
    'sponsorship_spent_lamports',
    'Lamports that sponsorship cost, by kind: registration or transaction',
    'kind',
  )
  // Starts at 0: an alert rule would not see an increase to the first value of a new series.
  for (const kind of KINDS) spent.inc({ kind }, 0)
  const sponsoredRequests = counter(
    'sponsorship_requests',
    'Sponsorship requests by operation and outcome: ok or the error code',
    'operation',
    'outcome',
  )
  return { requests, transactions, spent, sponsoredRequests }
}
