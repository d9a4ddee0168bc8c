import { DomainError } from '../domain/errors.ts'
import type { SponsorshipUsage } from './usage.ts'
import { SPONSOR_POLICY } from './policy.ts'
import type { SponsorLimits } from '../domain/sponsorship.ts'
import type { SponsorshipRequest } from './applicant.ts'

/**
 * Throws where the facts do not allow a sponsorship. Who has no code learns nothing about wallets, clients or money.
 * `cost` and `balance` in lamports.
 */
export function checkQuota(
  applicant: SponsorshipRequest,
  facts: SponsorshipUsage,
  money: { cost: bigint; balance: bigint; limits: SponsorLimits },
): void {
  const { wallet } = applicant
  if (applicant.kind === 'registration') {
    if ((facts.codeUsesLeft ?? 0) <= 0) throw new DomainError('INVITE_CODE_INVALID')
    if (facts.walletRegistration === 'confirmed') throw new DomainError('WALLET_SPONSORED', { wallet })
    if (facts.walletRegistration !== null) throw new DomainError('REGISTRATION_OPEN', { wallet })
    if (facts.walletHasAgent) throw new DomainError('AGENT_EXISTS', { wallet })
    const max = SPONSOR_POLICY.registrationsPerClient
    if (facts.clientRegistrations >= max)
      throw quotaExceeded('SPONSOR_CLIENT_LIMIT', max, facts.clientRetrySeconds)
  } else {
    const max = money.limits.dailyTransactionsPerWallet
    if (facts.walletTransactions >= max)
      throw quotaExceeded('SPONSOR_WALLET_LIMIT', max, facts.walletRetrySeconds)
  }
  const { cost, balance, limits } = money
  const share = (limits.dailyBudget * BigInt(SPONSOR_POLICY.transaction.budgetShare)) / 100n
  if (applicant.kind === 'transaction' && BigInt(facts.dailyTransactionLamports) + cost > share)
    throw new DomainError('SPONSOR_BUDGET_USED')
  if (BigInt(facts.dailyLamports) + cost > limits.dailyBudget) throw new DomainError('SPONSOR_BUDGET_USED')
  if (balance - BigInt(facts.pendingLamports) - cost < limits.minBalance)
    throw new DomainError('SPONSOR_BALANCE_LOW')
}

export function quotaExceeded(
  code: 'SPONSOR_CLIENT_LIMIT' | 'SPONSOR_WALLET_LIMIT',
  max: number,
  waitSeconds: number | null,
): DomainError {
  const seconds = Math.max(1, waitSeconds ?? 1)
  return new DomainError(code, { max, seconds }, { retryAfterSeconds: seconds })
}
