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

/**
 * Throws if the usage does not allow the sponsorship. Checks the invite code first, so that a
 * client without a code learns nothing about wallets, other clients or the balance.
 */
export function checkQuota(
  { kind, wallet }: SponsorshipRequest,
  usage: SponsorshipUsage,
  { cost, balance }: Funds,
  limits: SponsorLimits,
): void {
  if (kind === 'registration') {
    if ((usage.codeUsesLeft ?? 0) <= 0) throw new DomainError('INVITE_CODE_INVALID')
    if (usage.walletRegistration === 'confirmed') throw new DomainError('WALLET_SPONSORED', { wallet })
    if (usage.walletRegistration !== null) throw new DomainError('REGISTRATION_OPEN', { wallet })
    if (usage.walletHasAgent) throw new DomainError('AGENT_EXISTS', { wallet })
    const max = SPONSOR_POLICY.registrationsPerClient
    if (usage.clientRegistrations >= max)
      throw quotaExceeded('SPONSOR_CLIENT_LIMIT', max, usage.clientRetrySeconds)
  } else {
    const max = limits.dailyTransactionsPerWallet
    if (usage.walletTransactions >= max)
      throw quotaExceeded('SPONSOR_WALLET_LIMIT', max, usage.walletRetrySeconds)
    const budget = (limits.dailyBudget * BigInt(SPONSOR_POLICY.transaction.budgetShare)) / 100n
    if (BigInt(usage.dailyTransactionLamports) + cost > budget) throw new DomainError('SPONSOR_BUDGET_USED')
  }
  if (BigInt(usage.dailyLamports) + cost > limits.dailyBudget) throw new DomainError('SPONSOR_BUDGET_USED')
  if (balance - BigInt(usage.pendingLamports) - cost < limits.minBalance)
    throw new DomainError('SPONSOR_BALANCE_LOW')
}

export function quotaExceeded(
  code: 'SPONSOR_CLIENT_LIMIT' | 'SPONSOR_WALLET_LIMIT',
  max: number,
  retrySeconds: number | null,
): DomainError {
  const seconds = Math.max(1, retrySeconds ?? 1)
  return new DomainError(code, { max, seconds }, { retryAfterSeconds: seconds })
}
