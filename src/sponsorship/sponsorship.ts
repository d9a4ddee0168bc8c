import { randomUUID } from 'node:crypto'
import PQueue from 'p-queue'
import { registryAddresses, registryIdl } from '@agent-registry/program'
import { DomainError } from '../domain/errors.ts'
import { withTimeout } from '../platform/async/promises.ts'
import { createMetrics, countOutcome } from '../platform/metrics/metrics.ts'
import { RELAY_TIMING } from '../relay/policy.ts'
import type { PreparedTransaction } from '../relay/prepared-transaction.ts'
import type { TransactionRecord } from '../relay/record.ts'
import type { Relay } from '../relay/relay.ts'
import { NO_SPONSOR, type SponsorHooks } from '../relay/sponsor-hooks.ts'
import { checkPolicyTable } from './check-table.ts'
import type { SponsorContext, SponsorshipOptions } from './context.ts'
import { createLedgerAmounts } from './costs.ts'
import { countersign } from './countersign.ts'
import { eligibility, type Eligibility, type EligibilityInput } from './eligibility.ts'
import { countOpen, createSponsorshipMetrics, type SponsorshipMetrics } from './metrics.ts'
import { SPONSOR_POLICY } from './policy.ts'
import { prepareSponsored } from './prepare.ts'
import { register, type RegisterInput } from './register.ts'
import { createSpendingRecorder } from './spending-recorder.ts'
import { submitRegistration, type SubmitRegistrationInput } from './submit-registration.ts'

/** While sponsorship is off, `register` and `submit` throw SPONSORSHIP_OFF. */
export interface SponsorshipService {
  eligibility(input: EligibilityInput, clientIp: string): Promise<Eligibility>
  register(input: RegisterInput, clientIp: string): Promise<PreparedTransaction>
  submit(input: SubmitRegistrationInput, clientIp: string): Promise<TransactionRecord>
}

export type Sponsorship = ReturnType<typeof createSponsorship>

/** Throws PolicyError if the policy does not fit the registry, even while sponsorship is off. */
export function createSponsorship(options: SponsorshipOptions) {
  checkPolicyTable(SPONSOR_POLICY, registryIdl)
  const context = createContext(options)
  const metrics = createSponsorshipMetrics(options.metrics ?? createMetrics(), {
    countOpen: () => countOpen(options.kysely),
    feePayerBalance: context && (() => context.amounts.feePayerBalance.get()),
  })
  const { requests } = metrics
  return {
    /** For `createRelay`. */
    hooks: context === null ? NO_SPONSOR : createHooks(context, metrics),
    /** Null while sponsorship is off. */
    feePayer: context && context.signer.pubkey,
    /** Whether sponsorship is on and the fee payer has at least its minimum balance. */
    enabled: async (): Promise<boolean> => context !== null && (await hasMinBalance(context)),
    /** Started by processes with the role `api`. Null while sponsorship is off. */
    spendingRecorder: context && createSpendingRecorder(context, metrics),
    service: (relay: Pick<Relay, 'build' | 'submit'>): SponsorshipService => ({
      eligibility: (input, clientIp) => eligibility(input, clientIp, context),
      register: (input, clientIp) =>
        countOutcome(requests, 'register', register(input, clientIp, relay.build, context)),
      submit: (input, clientIp) =>
        countOutcome(requests, 'submitRegistration', submitRegistration(input, clientIp, relay, context)),
    }),
  }
}

function createContext(options: SponsorshipOptions): SponsorContext | null {
  const { rpc, clock, registryProgram, signer } = options
  if (signer === null) return null
  return {
    timing: RELAY_TIMING,
    newId: randomUUID,
    ...options,
    signer,
    signing: new PQueue({ concurrency: 1 }),
    addresses: registryAddresses(registryProgram),
    amounts: createLedgerAmounts(rpc, clock, signer.pubkey),
  }
}

function createHooks(context: SponsorContext, { requests }: SponsorshipMetrics): SponsorHooks {
  return {
    prepare: (input, clientIp, build) =>
      countOutcome(requests, 'prepare', prepareSponsored(input, clientIp, build, context)),
    authorize: (row) => {
      if (row.invite_code_hash !== null) throw new DomainError('SPONSORED_REGISTRATION')
    },
    countersign: (row, transaction, clientIp) =>
      countOutcome(requests, 'countersign', countersign(row, transaction, clientIp, context)),
  }
}

/** Health reports do not wait longer for a node. Milliseconds. */
const BALANCE_TIMEOUT_MS = 2_000

async function hasMinBalance({ amounts, limits }: SponsorContext): Promise<boolean> {
  const balance = await withTimeout(BALANCE_TIMEOUT_MS, amounts.feePayerBalance.get()).catch(() => null)
  return balance !== null && balance >= limits.minBalance
}
