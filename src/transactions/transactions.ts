import { registryIdl } from '@agent-registry/program'
import { withTimeout } from '../platform/async/promises.ts'
import { countOutcome } from '../platform/metrics/metrics.ts'
import { createContext, type TransactionsContext, type TransactionsOptions } from './context.ts'
import type { EstimateFeesInput } from './fees.ts'
import { readLedgerTransaction } from './ledger-transaction.ts'
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
import { checkPolicyTable, SPONSOR_POLICY } from './sponsor-policy.ts'
import { submit, type SubmitInput, submitRegistration, type SubmitRegistrationInput } from './submit.ts'
import { createExpiryLoop, createSpendingRecorder, createTracker } from './tracker.ts'
import { toRecord } from './transaction-store.ts'
import { watchTransaction } from './watch.ts'

export type Transactions = ReturnType<typeof createTransactions>

/**
 * Prepares, submits and tracks transactions. Throws PolicyError if the sponsorship policy does not
 * fit the registry, even while sponsorship is off.
 */
export function createTransactions(options: TransactionsOptions) {
  checkPolicyTable(SPONSOR_POLICY, registryIdl)
  const context: TransactionsContext = createContext(options, () => tracker.wake())
  const { requests, sponsoredRequests } = context.counters
  const tracker = createTracker(context)
  const loops = [tracker, createExpiryLoop(context)]
  if (context.sponsor !== null) loops.push(createSpendingRecorder(context))

  return {
    prepare: (input: PrepareInput) => countOutcome(requests, 'prepare', prepare(input, context)),
    /** The service pays. Counts for `clientIp`. */
    prepareSponsored: (input: PrepareInput, clientIp: string) =>
      countOutcome(sponsoredRequests, 'prepare', prepareSponsored(input, clientIp, context)),
    /** The service pays. Counts for `clientIp`. */
    prepareRegistration: (input: RegistrationInput, clientIp: string) =>
      countOutcome(sponsoredRequests, 'register', prepareRegistration(input, clientIp, context)),
    eligibility: (input: EligibilityInput, clientIp: string) => eligibility(input, clientIp, context),
    estimateFees: (input: EstimateFeesInput) =>
      countOutcome(requests, 'estimateFees', context.fees.estimate(input)),
    /** A sponsored transaction counts for `clientIp`. */
    submit: (input: SubmitInput, clientIp: string) =>
      countOutcome(requests, 'submit', submit(input, clientIp, context)),
    submitRegistration: (input: SubmitRegistrationInput, clientIp: string) =>
      countOutcome(sponsoredRequests, 'submitRegistration', submitRegistration(input, clientIp, context)),
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
    feePayer: context.sponsor && context.sponsor.signer.pubkey,
    /** Whether sponsorship is on and the fee payer has at least its minimum balance. */
    isSponsorshipOn: () => hasMinBalance(context),
  }
}

/** Health reports do not wait longer for a node. Milliseconds. */
const BALANCE_TIMEOUT_MS = 2_000

async function hasMinBalance({ sponsor }: TransactionsContext): Promise<boolean> {
  if (sponsor === null) return false
  const { amounts, limits } = sponsor
  const balance = await withTimeout(BALANCE_TIMEOUT_MS, amounts.feePayerBalance.get()).catch(() => null)
  return balance !== null && balance >= limits.minBalance
}
