import { randomUUID } from 'node:crypto'
import PQueue from 'p-queue'
import { Counter, Gauge } from 'prom-client'
import { registryAddresses, registryIdl } from '@agent-registry/program'
import { Sponsorship } from '../db/entities/sponsorship.ts'
import type { EntityManager } from '../db/orm-types.ts'
import type { SponsorshipKind } from '../domain/sponsorship.ts'
import { withTimeout } from '../platform/async/promises.ts'
import { countOutcome, createMetrics, type Metrics } from '../platform/metrics/metrics.ts'
import type { Sponsor, TransactionsContext, TransactionsOptions } from './context.ts'
import { createPriorityFees, type EstimateFeesInput } from './fees.ts'
import { createChainHead } from './ledger-state.ts'
import { readLedgerTransaction } from './ledger-transaction.ts'
import { defaultAllowedPrograms, RELAY_TIMING } from './limits.ts'
import {
  eligibility,
  type EligibilityInput,
  prepare,
  type PrepareInput,
  prepareRegistration,
  prepareSponsored,
  type RegistrationInput,
} from './prepare.ts'
import { createSelfSent } from './self-sent.ts'
import { createSpendingRecorder } from './spending-recorder.ts'
import {
  checkPolicyTable,
  createLedgerAmounts,
  type LedgerAmounts,
  SPONSOR_POLICY,
} from './sponsor-policy.ts'
import { submit, type SubmitInput, submitRegistration, type SubmitRegistrationInput } from './submit.ts'
import { createExpiryLoop, createTracker } from './tracker.ts'
import { toRecord, type TransactionRow, TransactionStore } from './transaction-store.ts'
import { TransactionUpdates, watchTransaction } from './watch.ts'

export type Transactions = ReturnType<typeof createTransactions>

/**
 * Prepares, submits and tracks transactions. Throws PolicyError if the sponsorship policy does not
 * fit the registry, even while sponsorship is off.
 */
export function createTransactions(options: TransactionsOptions) {
  checkPolicyTable(SPONSOR_POLICY, registryIdl)
  const { metrics = createMetrics() } = options
  const { requests, transactions } = createRelayMetrics(metrics)
  const amounts =
    options.sponsor && createLedgerAmounts(options.rpc, options.clock, options.sponsor.signer.pubkey)
  const sponsored = createSponsorshipMetrics(metrics, options.em, amounts)
  const sponsor = options.sponsor &&
    amounts && {
      ...options.sponsor,
      amounts,
      signing: new PQueue({ concurrency: 1 }),
      requests: sponsored.requests,
    }
  const context: TransactionsContext = {
    ...createContext(options, ({ status, error, sponsored: isSponsored }) =>
      transactions.inc({ status, error: error?.code ?? 'none', sponsored: String(isSponsored) }),
    ),
    sponsor,
    wakeTracker: () => tracker.wake(),
  }
  const tracker = createTracker(context)
  const loops = [tracker, createExpiryLoop(context)]
  if (sponsor !== null) loops.push(createSpendingRecorder(context, sponsored.spent))

  return {
    prepare: (input: PrepareInput) => countOutcome(requests, 'prepare', prepare(input, context)),
    /** The service pays. Counts for `clientIp`. */
    prepareSponsored: (input: PrepareInput, clientIp: string) =>
      countOutcome(sponsored.requests, 'prepare', prepareSponsored(input, clientIp, context)),
    /** The service pays. Counts for `clientIp`. */
    prepareRegistration: (input: RegistrationInput, clientIp: string) =>
      countOutcome(sponsored.requests, 'register', prepareRegistration(input, clientIp, context)),
    eligibility: (input: EligibilityInput, clientIp: string) => eligibility(input, clientIp, context),
    estimateFees: (input: EstimateFeesInput) =>
      countOutcome(requests, 'estimateFees', context.fees.estimate(input)),
    /** A sponsored transaction counts for `clientIp`. */
    submit: (input: SubmitInput, clientIp: string) =>
      countOutcome(requests, 'submit', submit(input, clientIp, context)),
    submitRegistration: (input: SubmitRegistrationInput, clientIp: string) =>
      countOutcome(sponsored.requests, 'submitRegistration', submitRegistration(input, clientIp, context)),
    /** Throws TRANSACTION_NOT_FOUND. */
    get: async (id: string) => toRecord(await context.store.get(id)),
    /** Throws TRANSACTION_NOT_FOUND. */
    getBySignature: async (signature: string) => toRecord(await context.store.getBySignature(signature)),
    /** Calls the node. Throws TRANSACTION_NOT_FOUND and LEDGER_UNAVAILABLE. */
    onLedger: (signature: string) => readLedgerTransaction(signature, context),
    watch: (id: string) => watchTransaction(id, context),
    /** For the indexer of this process. */
    selfSent: createSelfSent(context),
    /** Follows transactions until they are final. Started by processes with the role `api`. */
    tracker: {
      start: (): void => loops.forEach((loop) => loop.start()),
      stop: async (): Promise<void> => {
        await Promise.all(loops.map((loop) => loop.stop()))
      },
    },
    /** Null while sponsorship is off. */
    feePayer: options.sponsor && options.sponsor.signer.pubkey,
    /** Whether sponsorship is on and the fee payer has at least its minimum balance. */
    isSponsorshipOn: () => hasMinBalance(context.sponsor),
  }
}

function createContext(
  options: TransactionsOptions,
  onOutcome: (row: TransactionRow) => void,
): Omit<TransactionsContext, 'sponsor' | 'wakeTracker'> {
  const { em, rpc, clock, registryProgram } = options
  return {
    timing: RELAY_TIMING,
    newId: randomUUID,
    ...options,
    kysely: em.getKysely(),
    addresses: registryAddresses(registryProgram),
    allowedPrograms: new Set(options.allowedPrograms ?? defaultAllowedPrograms(registryProgram)),
    store: new TransactionStore(em, onOutcome),
    updates: new TransactionUpdates(),
    head: createChainHead(rpc, clock),
    fees: createPriorityFees(rpc, clock),
  }
}

/** Health reports do not wait longer for a node. Milliseconds. */
const BALANCE_TIMEOUT_MS = 2_000

async function hasMinBalance(sponsor: Sponsor | null): Promise<boolean> {
  if (sponsor === null) return false
  const { amounts, limits } = sponsor
  const balance = await withTimeout(BALANCE_TIMEOUT_MS, amounts.feePayerBalance.get()).catch(() => null)
  return balance !== null && balance >= limits.minBalance
}

function createRelayMetrics(metrics: Metrics) {
  const registers = [metrics]
  return {
    requests: new Counter({
      name: 'gateway_relay_requests_total',
      help: 'Relay requests by operation and outcome: ok or the error code',
      labelNames: ['operation', 'outcome'],
      registers,
    }),
    transactions: new Counter({
      name: 'gateway_relay_transactions_total',
      help: 'Transactions that became confirmed or failed, by status and error code; again after a fork',
      labelNames: ['status', 'error', 'sponsored'],
      registers,
    }),
  }
}

const KINDS: readonly SponsorshipKind[] = ['registration', 'transaction']

/** `amounts` is null while sponsorship is off. */
function createSponsorshipMetrics(metrics: Metrics, em: EntityManager, amounts: LedgerAmounts | null) {
  registerGauge(
    metrics,
    'gateway_sponsorship_open_transactions',
    'Transactions that the fee payer signed and that have not landed yet',
    () => em.fork().count(Sponsorship, { state: 'submitted' }),
  )
  if (amounts !== null)
    registerGauge(
      metrics,
      'gateway_sponsorship_fee_payer_lamports',
      'Balance of the fee payer in lamports',
      async () => Number(await amounts.feePayerBalance.get()),
    )
  const spent = new Counter({
    name: 'gateway_sponsorship_spent_lamports_total',
    help: 'Lamports that sponsorship cost, by kind: registration or transaction',
    labelNames: ['kind'],
    registers: [metrics],
  })
  // Starts at 0: an alert rule would not see an increase to the first value of a new series.
  for (const kind of KINDS) spent.inc({ kind }, 0)
  const requests = new Counter({
    name: 'gateway_sponsorship_requests_total',
    help: 'Sponsorship requests by operation and outcome: ok or the error code',
    labelNames: ['operation', 'outcome'],
    registers: [metrics],
  })
  return { spent, requests }
}

/** The value is NaN if `read` fails, so that the other metrics are still available. */
function registerGauge(metrics: Metrics, name: string, help: string, read: () => Promise<number>): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [],
    async collect() {
      this.set(await read().catch(() => NaN))
    },
  })
  metrics.registerMetric(gauge)
}
