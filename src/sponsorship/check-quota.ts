import { DomainError } from '../domain/errors.ts'
import type { SponsorLimits } from '../domain/sponsorship.ts'
import { SPONSOR_POLICY } from './policy.ts'
import type { SponsorshipRequest, SponsorshipUsage } from './usage.ts'

/** Lamports. */
export interface Funds {
  /** The most that the transaction can cost. */
  readonly cost: bigint
  /** The fee payer's. */
  readonly balance: bigint
}

/** The errors for what others can use up between the preparation and the owner's signature. */
export const PREPARE_ERRORS = {
  codeUsedUp: 'INVITE_CODE_INVALID',
  budgetUsed: 'SPONSOR_BUDGET_USED',
  balanceLow: 'SPONSOR_BALANCE_LOW',
} as const
export const SUBMIT_ERRORS = {
  codeUsedUp: 'INVITE_CODE_USED_UP',
  budgetUsed: 'SPONSOR_BUDGET_USED_BEFORE_SIGNING',
  balanceLow: 'SPONSOR_BALANCE_LOW_BEFORE_SIGNING',
} as const

/**
 * Throws if the usage does not allow the sponsorship. Checks the invite code first, so that a
 * client without a code learns nothing about wallets, other clients or the balance.
 */
export function checkQuota(
  request: SponsorshipRequest,
  usage: SponsorshipUsage,
  { cost, balance }: Funds,
  limits: SponsorLimits,
  errors: typeof PREPARE_ERRORS | typeof SUBMIT_ERRORS,
): void {
  const { budgetUsed, balanceLow } = errors
  if (request.kind === 'registration') {
    checkRegistrationQuota(request, usage, limits, errors)
  } else {
    checkTransactionQuota(request, usage, limits)
    const budget = (limits.dailyBudget * BigInt(SPONSOR_POLICY.transaction.budgetShare)) / 100n
    if (BigInt(usage.dailyTransactionLamports) + cost > budget) throw new DomainError(budgetUsed)
  }
  if (BigInt(usage.dailyLamports) + cost > limits.dailyBudget) throw new DomainError(budgetUsed)
  if (balance - BigInt(usage.pendingLamports) - cost < limits.minBalance) throw new DomainError(balanceLow)
}

function checkRegistrationQuota(
  { wallet }: SponsorshipRequest,
  usage: SponsorshipUsage,
  limits: SponsorLimits,
  { codeUsedUp }: typeof PREPARE_ERRORS | typeof SUBMIT_ERRORS,
): void {
  if (usage.codeUsesLeft === null) throw new DomainError('INVITE_CODE_INVALID')
  if (usage.codeUsesLeft <= 0) throw new DomainError(codeUsedUp)
  if (usage.walletRegistration === 'confirmed') throw new DomainError('WALLET_SPONSORED', { wallet })
  if (usage.walletRegistration === 'submitted') throw new DomainError('REGISTRATION_OPEN', { wallet })
  if (usage.agentTier !== null) throw new DomainError('AGENT_EXISTS', { wallet })
  checkClientQuota(usage, limits)
}

/** Throws SPONSOR_CLIENT_LIMIT if the client cannot sign one more registration. */
export function checkClientQuota(
  usage: SponsorshipUsage,
  { dailyRegistrationsPerClient: max }: SponsorLimits,
): void {
  const { clientCount: signed, openCount: open } = usage
  if (signed + open < max) return
  const isSigned = signed >= max
  const seconds = Math.max(1, (isSigned ? usage.clientRetrySeconds : usage.openRetrySeconds) ?? 1)
  const prepared = open > 0 ? ` and ${open} prepared that can still be signed` : ''
  const counted = `${signed} signed in the last 24 hours${prepared}`
  throw new DomainError('SPONSOR_CLIENT_LIMIT', { max, counted, seconds }, { retryAfterSeconds: seconds })
}

function checkTransactionQuota(
  { wallet }: SponsorshipRequest,
  usage: SponsorshipUsage,
  { dailyTransactionsPerWallet: perWallet, dailyTransactionsPerClient: perClient }: SponsorLimits,
): void {
  const hasStake = usage.agentTier !== null && usage.agentTier !== 'observer'
  if (usage.walletRegistration !== 'confirmed' && !hasStake)
    throw new DomainError('AGENT_NOT_SPONSORED', { wallet })
  if (usage.walletTransactions >= perWallet)
    throw quotaExceeded('SPONSOR_WALLET_LIMIT', perWallet, usage.walletRetrySeconds)
  if (usage.clientCount >= perClient)
    throw quotaExceeded('SPONSOR_CLIENT_TRANSACTION_LIMIT', perClient, usage.clientRetrySeconds)
}

function quotaExceeded(
  code: 'SPONSOR_WALLET_LIMIT' | 'SPONSOR_CLIENT_TRANSACTION_LIMIT',
  max: number,
  retrySeconds: number | null,
): DomainError {
  const seconds = Math.max(1, retrySeconds ?? 1)
  return new DomainError(code, { max, seconds }, { retryAfterSeconds: seconds })
}
