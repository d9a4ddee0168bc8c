import { randomUUID } from 'node:crypto'
import { countOutcome, createMetrics } from '../platform/metrics/metrics.ts'
import { createChainHead } from './chain-head.ts'
import type { RelayContext, RelayOptions } from './context.ts'
import { createPriorityFees, type EstimateFeesInput, type FeeEstimate } from './fees.ts'
import { type LedgerTransaction, readLedgerTransaction } from './ledger-transaction.ts'
import { createRelayMetrics } from './metrics.ts'
import { defaultAllowedPrograms, RELAY_TIMING } from './policy.ts'
import { build, prepare } from './prepare.ts'
import type { BuildTransaction, PreparedTransaction, PrepareInput } from './prepared-transaction.ts'
import { toRecord, type TransactionRecord } from './record.ts'
import { createSelfSent } from './self-sent.ts'
import { NO_SPONSOR } from './sponsor-hooks.ts'
import { type Authorize, submit, type SubmitInput } from './submit.ts'
import { createExpiryLoop } from './search/expiry-loop.ts'
import { createTracker } from './tracker.ts'
import { createTransactionStore } from './transaction-store.ts'
import { TransactionUpdates } from './transaction-updates.ts'
import { watchTransaction } from './watch-transaction.ts'

export interface RelayService {
  /** With `sponsored: true` it throws what `src/sponsorship` throws, which counts `clientIp`. */
  prepare(input: PrepareInput, clientIp?: string): Promise<PreparedTransaction>
  estimateFees(input: EstimateFeesInput): Promise<FeeEstimate>
  /** A sponsored transaction counts for `clientIp`. */
  submit(input: SubmitInput, clientIp: string): Promise<TransactionRecord>
  /** Throws TRANSACTION_NOT_FOUND. */
  get(id: string): Promise<TransactionRecord>
  /** Throws TRANSACTION_NOT_FOUND. */
  getBySignature(signature: string): Promise<TransactionRecord>
  /** Calls the node. Throws TRANSACTION_NOT_FOUND and LEDGER_UNAVAILABLE. */
  onLedger(signature: string): Promise<LedgerTransaction>
}

export type Relay = ReturnType<typeof createRelay>

export function createRelay(options: RelayOptions) {
  const { kysely, rpc, clock, registryProgram } = options
  const { timing = RELAY_TIMING, newId = randomUUID, sponsor = NO_SPONSOR } = options
  const { requests, transactions } = createRelayMetrics(options.metrics ?? createMetrics())
  const store = createTransactionStore(kysely, ({ status, error, sponsored }) =>
    transactions.inc({ status, error: error?.code ?? 'none', sponsored: String(sponsored) }),
  )
  const context: RelayContext = {
    ...options,
    timing,
    newId,
    sponsor,
    store,
    updates: new TransactionUpdates(),
    head: createChainHead(rpc, clock),
    fees: createPriorityFees(rpc, clock),
    allowedPrograms: new Set(options.allowedPrograms ?? defaultAllowedPrograms(registryProgram)),
    wakeTracker: () => tracker.wake(),
  }
  const tracker = createTracker(context)
  const expiryLoop = createExpiryLoop(context)
  const selfSent = createSelfSent(context)
  const buildTransaction: BuildTransaction = (request, buildOptions) => build(request, buildOptions, context)
  const service: RelayService = {
    prepare: (input, clientIp = '') =>
      input.sponsored === true
        ? sponsor.prepare(input, clientIp, buildTransaction)
        : countOutcome(requests, 'prepare', prepare(input, context)),
    estimateFees: (input) => countOutcome(requests, 'estimateFees', context.fees.estimate(input)),
    submit: (input, clientIp) => countOutcome(requests, 'submit', submit(input, clientIp, context)),
    get: async (id) => toRecord(await store.get(id)),
    getBySignature: async (signature) => toRecord(await store.getBySignature(signature)),
    onLedger: (signature) => readLedgerTransaction(signature, context),
  }
  return {
    service,
    /** Started by processes with the role `api`. */
    tracker: {
      start: () => {
        tracker.start()
        expiryLoop.start()
      },
      stop: async () => {
        await Promise.all([tracker.stop(), expiryLoop.stop()])
      },
    },
    /** For the indexer of this process. */
    selfSent,
    watch: (id: string) => watchTransaction(id, context),
    /** For `src/sponsorship`, which makes its own checks first. */
    build: buildTransaction,
    submit: (input: SubmitInput, clientIp: string, authorize: Authorize) =>
      submit(input, clientIp, context, authorize),
  }
}
