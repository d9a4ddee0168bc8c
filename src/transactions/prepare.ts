import type { NamedInstruction, Pubkey } from '@agent-registry/solana'
import { DomainError, isDomainError } from '../domain/errors.ts'
import { SPONSORSHIP_ERRORS } from '../domain/error-table.ts'
import { knownError } from '../domain/known-error.ts'
import { enumParameter, optional, pubkeyParameter, requiredText } from '../domain/parameters.ts'
import type { SponsorshipKind } from '../domain/sponsorship.ts'
import { build, type PreparedTransaction } from './build.ts'
import {
  type CheckedRequest,
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
  sponsorshipRequest,
  withUsageLock,
} from './quota.ts'
import { costExceeded, maxCost, SPONSOR_POLICY } from './sponsor-policy.ts'
import type { NewTransaction } from './transaction-store.ts'

export interface PrepareInput extends InstructionsInput {
  readonly priorityLevel?: string | null
}

const priorityLevel = enumParameter(PRIORITY_LEVELS)

const readPriorityLevel = (level: string | null | undefined): PriorityLevel =>
  optional(priorityLevel, 'priorityLevel', level) ?? 'medium'

/**
 * Prepares a transaction that its first signer pays. Throws what `readRequest`, `checkSigners` and
 * `build` throw, INVALID_ENUM, and PREPARE_FAILED.
 */
export async function prepare(input: PrepareInput, context: TransactionsContext) {
  const { instructions, signers: given } = readRequest(input, context.allowedPrograms)
  const signers = checkSigners(given, instructions)
  const level = readPriorityLevel(input.priorityLevel)
  return buildAndStore({ instructions, signers }, level, null, context)
}

/** Throws PREPARE_FAILED in place of an error without a code. */
async function buildAndStore(
  request: CheckedRequest,
  level: PriorityLevel,
  sponsorship: SponsorshipRequest | null,
  context: TransactionsContext,
): Promise<PreparedTransaction> {
  try {
    const { prepared, row } = await build(request, level, sponsorship, context)
    if (sponsorship?.kind === 'registration')
      await storeRegistration(row, sponsorship, sponsorContext(context))
    else await context.store.insertSimulated(row)
    return prepared
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
  return checkAndBuild(sponsorshipRequest(wallet, null, clientIp, context), instructions, level, context)
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
  const request = sponsorshipRequest(wallet, inviteCodeHash(inviteCode) ?? NO_CODE, clientIp, context)
  return checkAndBuild(request, instructions, 'medium', context)
}

/** The hash of no code, for a text that is not a code. */
const NO_CODE = ''

export interface EligibilityInput {
  readonly wallet?: string | null
  readonly code?: string | null
}

export type Eligibility = Awaited<ReturnType<typeof eligibility>>

/**
 * Whether `prepareRegistration` would be allowed now. Takes nothing. Throws FIELD_REQUIRED,
 * INVALID_PUBKEY, LEDGER_UNAVAILABLE.
 */
export async function eligibility(
  input: EligibilityInput,
  clientIp: string,
  transactions: TransactionsContext,
) {
  const wallet = pubkeyParameter('wallet', requiredText('wallet', input.wallet))
  const codeHash = inviteCodeHash(requiredText('code', input.code)) ?? NO_CODE
  try {
    const context = sponsorContext(transactions)
    const { balance } = await checkEligible(sponsorshipRequest(wallet, codeHash, clientIp, context), context)
    return { eligible: true, feePayerBalance: String(balance), reason: null }
  } catch (error) {
    // These errors are reasons. Others, like LEDGER_UNAVAILABLE, are errors of the request.
    if (!isDomainError(error) || !Object.hasOwn(SPONSORSHIP_ERRORS, error.code)) throw error
    return { eligible: false, feePayerBalance: null, reason: error.message }
  }
}

/** Checks quotas, but takes nothing: others can use them up before the owner has signed. */
async function checkAndBuild(
  request: SponsorshipRequest,
  instructions: readonly NamedInstruction[],
  level: PriorityLevel,
  context: SponsorContext,
): Promise<PreparedTransaction> {
  const signers = checkSigners([context.sponsor.signer.pubkey, request.wallet], instructions)
  await checkEligible(request, context)
  return buildAndStore({ instructions, signers }, level, request, context)
}

/** Others that the client prepares at the same time may not have been stored at the first check. */
async function storeRegistration(row: NewTransaction, request: SponsorshipRequest, context: SponsorContext) {
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
