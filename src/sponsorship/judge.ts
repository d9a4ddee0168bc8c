import { DomainError } from '../domain/errors.ts'
import type { SponsorshipFacts } from './facts.ts'
import { SPONSOR_POLICY } from './policy.ts'
import type { SponsorLimits } from '../domain/sponsorship.ts'
import type { Applicant } from './applicant.ts'

/**
 * Throws where the facts do not allow a sponsorship. Who has no code learns nothing about wallets, clients or money.
 * `cost` and `balance` in lamports.
 */
export function judge(
  applicant: Applicant,
  facts: SponsorshipFacts,
  money: { cost: bigint; balance: bigint; limits: SponsorLimits },
): void {
  const { wallet } = applicant
  if (applicant.kind === 'registration') {
    if ((facts.codeUsesLeft ?? 0) <= 0) throw new DomainError('INVITE_CODE_INVALID')
    if (facts.walletState === 'confirmed') throw new DomainError('WALLET_SPONSORED', { wallet })
    if (facts.walletState !== null) throw new DomainError('REGISTRATION_OPEN', { wallet })
    if (facts.walletHasAgent) throw new DomainError('AGENT_EXISTS', { wallet })
    const max = SPONSOR_POLICY.registrationsPerClient
    if (facts.clientRegistrations >= max) throw tooMany('SPONSOR_CLIENT_LIMIT', max, facts.clientWaitSeconds)
  } else {
    const max = money.limits.dailyTransactionsPerWallet
    if (facts.walletTransactions >= max) throw tooMany('SPONSOR_WALLET_LIMIT', max, facts.walletWaitSeconds)
  }
  const { cost, balance, limits } = money
  const share = (limits.dailyBudget * BigInt(SPONSOR_POLICY.transaction.budgetShare)) / 100n
  if (applicant.kind === 'transaction' && BigInt(facts.dayTransactionLamports) + cost > share)
    throw new DomainError('SPONSOR_BUDGET_USED')
  if (BigInt(facts.dayLamports) + cost > limits.dailyBudget) throw new DomainError('SPONSOR_BUDGET_USED')
  if (balance - BigInt(facts.openLamports) - cost < limits.minBalance)
    throw new DomainError('SPONSOR_BALANCE_LOW')
}

export function tooMany(
  code: 'SPONSOR_CLIENT_LIMIT' | 'SPONSOR_WALLET_LIMIT',
  max: number,
  waitSeconds: number | null,
): DomainError {
  const seconds = Math.max(1, waitSeconds ?? 1)
  return new DomainError(code, { max, seconds }, { retryAfterSeconds: seconds })
}
