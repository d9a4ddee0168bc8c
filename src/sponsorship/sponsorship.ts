import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import { registryAddresses, registryIdl } from '@agent-registry/program'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../db/database.ts'
import { DomainError } from '../domain/errors.ts'
import type { FeePayerSigner } from '../platform/keys/fee-payer-signer.ts'
import type { Logger } from '../platform/logger.ts'
import { countOutcome } from '../platform/metrics/count-outcome.ts'
import { createMetrics, type Metrics } from '../platform/metrics/metrics.ts'
import type { PreparedTransactionView } from '../relay/prepare.ts'
import type { TransactionRecord } from '../relay/record.ts'
import type { Relay } from '../relay/relay.ts'
import type { SponsorHooks } from '../relay/sponsor-hooks.ts'
import { RELAY_TIMING, type RelayTiming } from '../relay/timing.ts'
import { type SpendingRecorder, createSpendingRecorder } from './spending-recorder.ts'
import { checkPolicyTable } from './check-table.ts'
import type { SponsorContext } from './context.ts'
import { createCosts } from './costs.ts'
import { countersign } from './countersign.ts'
import { eligibility, type Eligibility, type EligibilityInput } from './eligibility.ts'
import { createSponsorshipMetrics, type SponsorshipMetrics } from './metrics.ts'
import { SPONSOR_POLICY } from './policy.ts'
import { prepareSponsored } from './prepare.ts'
import { register, type RegisterInput } from './register.ts'
import { countOpen, createReservations } from './reservations.ts'
import { submitRegistration, type SubmitRegistrationInput } from './submit-registration.ts'
import { withTimeout } from '../platform/async/with-timeout.ts'
import type { SponsorLimits } from '../domain/sponsorship.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'

/** What the doors call. Each throws SPONSORSHIP_OFF where sponsorship is off, but `eligibility`, which says so. */
export interface SponsorshipService {
  eligibility(input: EligibilityInput, clientIp: string): Promise<Eligibility>
  register(input: RegisterInput, clientIp: string): Promise<PreparedTransactionView>
  submit(input: SubmitRegistrationInput): Promise<TransactionRecord>
}

export interface SponsorshipOptions {
  readonly kysely: Kysely<Database>
  readonly rpc: LedgerCalls
  readonly clock: Clock
  readonly logger: Pick<Logger, 'warn'>
  readonly registryProgram: Pubkey
  /** Null switches sponsorship off. */
  readonly signer: FeePayerSigner | null
  readonly limits: SponsorLimits
  readonly timing?: RelayTiming
  readonly newId?: () => string
  readonly metrics?: Metrics
}

export interface Sponsorship {
  /** For `createRelay`; null where sponsorship is off. */
  readonly hooks: SponsorHooks | null
  readonly feePayer: Pubkey | null
  /** Whether a registration could be paid now: on, and the fee payer above its floor. */
  enabled(): Promise<boolean>
  /** To be started by the process that is to keep the books; does nothing where sponsorship is off. */
  readonly spendingRecorder: SpendingRecorder
  service(relay: Pick<Relay, 'build' | 'submit'>): SponsorshipService
}

/** Throws PolicyError where the policy does not fit the registry, also while sponsorship is off. */
export function createSponsorship(options: SponsorshipOptions): Sponsorship {
  checkPolicyTable(SPONSOR_POLICY, registryIdl)
  const context = options.signer === null ? null : createContext(options, options.signer)
  const on = async (): Promise<SponsorContext> => {
    if (context === null) throw new DomainError('SPONSORSHIP_OFF')
    return context
  }
  const metrics = createSponsorshipMetrics(options.metrics ?? createMetrics(), {
    openReservations: () => countOpen(options.kysely),
    balance: context === null ? null : () => context.costs.balance(),
  })
  const { requests } = metrics
  return {
    hooks: context === null ? null : createGate(context, metrics),
    feePayer: context?.signer.pubkey ?? null,
    enabled: async () => context !== null && (await isAboveFloor(context)),
    spendingRecorder: context === null ? NO_BOOKS : createSpendingRecorder(context, metrics),
    service: (relay) => ({
      eligibility: (input, clientIp) => eligibility(input, clientIp, context),
      register: (input, clientIp) =>
        countOutcome(
          requests,
          'register',
          on().then((it) => register(input, clientIp, relay.build, it)),
        ),
      submit: (input) =>
        countOutcome(
          requests,
          'submitRegistration',
          on().then((it) => submitRegistration(input, relay, it)),
        ),
    }),
  }
}

const NO_BOOKS: SpendingRecorder = { start: () => undefined, stop: async () => undefined }

function createContext(options: SponsorshipOptions, signer: FeePayerSigner): SponsorContext {
  const { kysely, rpc, clock, registryProgram, timing = RELAY_TIMING, newId = randomUUID } = options
  return {
    ...options,
    timing,
    newId,
    signer,
    addresses: registryAddresses(registryProgram),
    costs: createCosts(rpc, clock, signer.pubkey),
    reservations: createReservations(kysely),
  }
}

function createGate(context: SponsorContext, { requests }: SponsorshipMetrics): SponsorHooks {
  return {
    prepare: (input, clientIp, build) =>
      countOutcome(requests, 'prepare', prepareSponsored(input, clientIp, build, context)),
    authorize: async ({ id }) => {
      const sponsorship = await context.reservations.find(id)
      if (sponsorship?.kind === 'registration') throw new DomainError('SPONSORED_REGISTRATION')
    },
    countersign: (row, transaction) =>
      countOutcome(requests, 'countersign', countersign(row, transaction, context)),
  }
}

/** For health reports, which do not wait for a silent node. Milliseconds. */
const PATIENCE_MS = 2_000

async function isAboveFloor({ costs, limits }: SponsorContext): Promise<boolean> {
  const balance = await withTimeout(PATIENCE_MS, costs.balance()).catch(() => null)
  return balance !== null && balance >= limits.minBalance
}
