import { programErrorName } from '@agent-registry/program'
import type { NamedInstruction, Pubkey } from '@agent-registry/solana'
import { clientNetwork } from '../domain/client-network.ts'
import { DomainError, isDomainError } from '../domain/errors.ts'
import { SPONSORSHIP_ERRORS } from '../domain/error-table.ts'
import { knownError } from '../domain/known-error.ts'
import { enumParameter, optional, pubkeyParameter, requiredText } from '../domain/parameters.ts'
import type { SponsorshipKind } from '../domain/sponsorship.ts'
import { build, type PreparedTransaction, type SimulatedRequest, simulateRequest } from './build.ts'
import {
  checkInstructions,
  checkSigners,
  type InstructionInput,
  type InstructionsInput,
  readInstructions,
  readRequest,
} from './check-request.ts'
import { checkRegistration, checkTransaction } from './check-sponsored.ts'
import { type SponsorContext, sponsorContext, type TransactionsContext } from './context.ts'
import { inviteCodeHash } from './invite-codes.ts'
import { mapLedgerError } from './ledger-state.ts'
import { PRIORITY_LEVELS, type PriorityLevel } from './limits.ts'
import {
  checkClientQuota,
  checkQuota,
  type Funds,
  type LedgerTime,
  QUOTA_ERRORS_AT_PREPARE,
  readUsage,
  type SponsorshipRequest,
  withUsageLock,
} from './quota.ts'
import { costExceeded, maxCost, SPONSOR_POLICY } from './sponsor-policy.ts'
import type { NewTransaction } from './transaction-store.ts'

export interface PrepareInput extends InstructionsInput {
  readonly priorityLevel?: string | null
}

const priorityLevel = enumParameter(PRIORITY_LEVELS)

function readPriorityLevel(level: string | null | undefined): PriorityLevel {
  return optional(priorityLevel, 'priorityLevel', level) ?? 'medium'
}

/**
 * Prepares a transaction that its first signer pays. Throws what `checkInstructions`,
 * `simulateRequest` and `build` throw, INVALID_ENUM, and PREPARE_FAILED.
 */
export async function prepare(
  input: PrepareInput,
  context: TransactionsContext,
): Promise<PreparedTransaction> {
  const request = checkInstructions(input, context.allowedPrograms)
  const level = readPriorityLevel(input.priorityLevel)
  return orPrepareFailed(async () => {
    const simulated = await simulateRequest(request, context)
    const options = { level, sponsored: false, maxPrice: Infinity }
    const { prepared, row } = await build(simulated, options, context)
    await context.store.insertSimulated(row)
    return prepared
  })
}

/** Throws PREPARE_FAILED in place of an error without a code. */
async function orPrepareFailed<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw knownError(error) ?? new DomainError('PREPARE_FAILED', {}, { cause: error })
  }
}

/**
 * Prepares a transaction whose network fee the service pays: instructions of the policy, signed by
 * one wallet for its own agent. Throws SPONSORSHIP_OFF, ONE_WALLET_SIGNS, FEE_PAYER_MISUSED,
 * NOT_SPONSORED, REGISTRATION_NEEDS_CODE, what `checkQuota` throws, and what `prepare` throws.
 */
export async function prepareSponsored(
  input: PrepareInput,
  clientIp: string,
  transactions: TransactionsContext,
): Promise<PreparedTransaction> {
  const context = sponsorContext(transactions)
  const feePayer = context.sponsor.signer.pubkey
  const { instructions, signers } = readRequest(input, new Set([context.registryProgram]))
  const wallet = soleSigner(signers, feePayer)
  checkTransaction(instructions, { feePayer, wallet }, context.addresses)
  const level = readPriorityLevel(input.priorityLevel)
  const request = {
    kind: 'transaction',
    wallet,
    agentPda: context.addresses.agent(wallet),
    codeHash: null,
    clientNetwork: clientNetwork(clientIp),
  } as const
  return checkAndBuild({ request, instructions, level }, context)
}

function soleSigner(signers: readonly Pubkey[], feePayer: Pubkey): Pubkey {
  const index = signers.indexOf(feePayer)
  if (index >= 0)
    throw new DomainError('FEE_PAYER_MISUSED', { key: feePayer, place: `signerPubkeys[${index}]` })
  const [wallet] = signers
  if (wallet === undefined || signers.length > 1) throw new DomainError('ONE_WALLET_SIGNS')
  return wallet
}

export interface RegistrationInput {
  /** One register_agent. */
  readonly instructions?: readonly InstructionInput[] | null
  /** The agent's owner. */
  readonly signerPubkey?: string | null
  readonly inviteCode?: string | null
}

/**
 * Prepares the registration of an agent. The service pays rent and network fee. Throws
 * SPONSORSHIP_OFF, FIELD_REQUIRED, FEE_PAYER_EXPECTED, FEE_PAYER_MISUSED, NOT_SPONSORED,
 * AGENT_EXISTS, what `checkQuota` throws, and what `prepare` throws.
 */
export async function prepareRegistration(
  input: RegistrationInput,
  clientIp: string,
  transactions: TransactionsContext,
): Promise<PreparedTransaction> {
  const context = sponsorContext(transactions)
  if (!input.instructions?.length) throw new DomainError('INSTRUCTIONS_REQUIRED')
  const signerPubkey = requiredText('signerPubkey', input.signerPubkey)
  const inviteCode = requiredText('inviteCode', input.inviteCode)
  const feePayer = context.sponsor.signer.pubkey
  const instructions = readInstructions(input.instructions, new Set([context.registryProgram]))
  const wallet = pubkeyParameter('signerPubkey', signerPubkey)
  if (wallet === feePayer)
    throw new DomainError('FEE_PAYER_MISUSED', { key: feePayer, place: 'signerPubkey' })
  checkRegistration(instructions, { feePayer, wallet }, context.addresses)
  const request = registrationRequest(wallet, inviteCodeHash(inviteCode), clientIp, context)
  return checkAndBuild({ request, instructions, level: 'medium' }, context)
}

/** A text that is not a code has the hash of no code. */
function registrationRequest(
  wallet: Pubkey,
  codeHash: string | null,
  clientIp: string,
  { addresses }: SponsorContext,
): SponsorshipRequest {
  return {
    kind: 'registration',
    wallet,
    agentPda: addresses.agent(wallet),
    codeHash: codeHash ?? '',
    clientNetwork: clientNetwork(clientIp),
  }
}

export interface EligibilityInput {
  readonly wallet?: string | null
  readonly code?: string | null
}

export interface Eligibility {
  readonly eligible: boolean
  /** Lamports in decimal. Null unless eligible. */
  readonly feePayerBalance: string | null
  /** Null if eligible. */
  readonly reason: string | null
}

/**
 * Whether `prepareRegistration` would be allowed now. Takes nothing. Throws FIELD_REQUIRED,
 * INVALID_PUBKEY, LEDGER_UNAVAILABLE.
 */
export async function eligibility(
  input: EligibilityInput,
  clientIp: string,
  transactions: TransactionsContext,
): Promise<Eligibility> {
  const wallet = pubkeyParameter('wallet', requiredText('wallet', input.wallet))
  const codeHash = inviteCodeHash(requiredText('code', input.code))
  try {
    const context = sponsorContext(transactions)
    const { balance } = await checkEligible(registrationRequest(wallet, codeHash, clientIp, context), context)
    return { eligible: true, feePayerBalance: String(balance), reason: null }
  } catch (error) {
    // These errors are reasons. Others, like LEDGER_UNAVAILABLE, are errors of the request.
    if (!isDomainError(error) || !Object.hasOwn(SPONSORSHIP_ERRORS, error.code)) throw error
    return { eligible: false, feePayerBalance: null, reason: error.message }
  }
}

interface SponsoredTransaction {
  readonly request: SponsorshipRequest
  /** Checked against the policy. */
  readonly instructions: readonly NamedInstruction[]
  readonly level: PriorityLevel
}

/**
 * Checks the quotas, simulates and builds the transaction, and stores it. Takes nothing: others can
 * use up a quota before the owner has signed.
 */
async function checkAndBuild(
  { request, instructions, level }: SponsoredTransaction,
  context: SponsorContext,
): Promise<PreparedTransaction> {
  const signers = checkSigners([context.sponsor.signer.pubkey, request.wallet], instructions)
  await checkEligible(request, context)
  return orPrepareFailed(async () => {
    const simulated = await simulateRequest({ instructions, signers }, context)
    checkSimulation(simulated, request)
    const options = { level, sponsored: true, maxPrice: SPONSOR_POLICY.maxPriorityFee }
    const { prepared, row } = await build(simulated, options, context)
    if (request.kind === 'registration') await storeRegistration(row, request, context)
    else await context.store.insertSimulated(row)
    return prepared
  })
}

/** Throws AGENT_EXISTS, SPONSOR_COST_EXCEEDED. `build` reports every other failure. */
function checkSimulation(
  { simulation: { err }, unitLimit }: SimulatedRequest,
  { kind, wallet }: SponsorshipRequest,
): void {
  if (kind === 'registration' && isAlreadyRegistered(err)) throw new DomainError('AGENT_EXISTS', { wallet })
  const max = SPONSOR_POLICY[kind].maxComputeUnits
  if (err === null && unitLimit > max) throw costExceeded(unitLimit, 'compute units', max)
}

function isAlreadyRegistered(err: unknown): boolean {
  const failed = (err as { InstructionError?: [number, { Custom?: number }] } | null)?.InstructionError
  const code = failed?.[1].Custom
  return code !== undefined && programErrorName(code) === 'AlreadyInitialized'
}

/** Others that the client prepares at the same time may not have been stored at the first check. */
async function storeRegistration(
  row: NewTransaction,
  request: SponsorshipRequest,
  context: SponsorContext,
): Promise<void> {
  const ledger = await readLedgerTime(context)
  await withUsageLock(context, async (em) => {
    const kysely = em.getKysely()
    checkClientQuota(await readUsage(kysely, request, ledger), context.sponsor.limits)
    await context.store.insertSimulated({ ...row, registration: request }, kysely)
  })
}

/** Throws what `checkQuota` throws, LEDGER_UNAVAILABLE, SPONSOR_COST_EXCEEDED. */
async function checkEligible(request: SponsorshipRequest, context: SponsorContext): Promise<Funds> {
  const [funds, ledger] = await Promise.all([readFunds(request.kind, context), readLedgerTime(context)])
  const usage = await readUsage(context.kysely, request, ledger)
  checkQuota(request, usage, funds, context.sponsor.limits, QUOTA_ERRORS_AT_PREPARE)
  return funds
}

async function readLedgerTime({ sponsor: { amounts } }: SponsorContext): Promise<LedgerTime> {
  const [{ blockHeight }, slotSeconds] = await Promise.all([
    amounts.head(),
    mapLedgerError(amounts.slotTime.get()),
  ])
  return { blockHeight, slotSeconds }
}

async function readFunds(kind: SponsorshipKind, { sponsor }: SponsorContext): Promise<Funds> {
  const { agentRent, feePayerBalance } = sponsor.amounts
  const [rent, balance] = await mapLedgerError(Promise.all([agentRent(), feePayerBalance.get()]))
  const cost = maxCost(kind, rent)
  const max = SPONSOR_POLICY.maxLamports
  if (cost > BigInt(max)) throw costExceeded(cost, 'lamports', max)
  return { cost, balance }
}
