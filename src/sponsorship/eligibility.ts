import { clientNetwork } from '../domain/client-network.ts'
import { pubkeyParameter } from '../domain/parameters.ts'
import { DomainError, type ErrorCode, isDomainError } from '../domain/errors.ts'
import { inviteCodeHash } from './invite-code.ts'
import type { SponsorContext } from './context.ts'
import { checkQuota } from './check-quota.ts'
import { required } from './required.ts'
import { readFunds } from './reserve-and-build.ts'

export interface EligibilityInput {
  readonly wallet?: string | null
  readonly code?: string | null
}

export interface Eligibility {
  readonly eligible: boolean
  /** Lamports in decimal; null unless eligible. */
  readonly feePayerBalance: string | null
  /** Null where eligible. */
  readonly reason: string | null
}

/** What makes a wallet, a code or a client not eligible, rather than the question wrong. */
const REASONS: ReadonlySet<ErrorCode> = new Set([
  'SPONSORSHIP_OFF',
  'SPONSOR_BALANCE_LOW',
  'SPONSOR_BUDGET_USED',
  'SPONSOR_CLIENT_LIMIT',
  'SPONSOR_COST_EXCEEDED',
  'INVITE_CODE_INVALID',
  'WALLET_SPONSORED',
  'REGISTRATION_OPEN',
  'AGENT_EXISTS',
] satisfies ErrorCode[])

/** Whether a registration would be sponsored now: the questions of `register`, nothing taken. Throws FIELD_REQUIRED, INVALID_PUBKEY, LEDGER_UNAVAILABLE. */
export async function eligibility(
  input: EligibilityInput,
  clientIp: string,
  context: SponsorContext | null,
): Promise<Eligibility> {
  const wallet = pubkeyParameter('wallet', required('wallet', input.wallet))
  const codeHash = inviteCodeHash(required('code', input.code)) ?? ''
  try {
    if (context === null) throw new DomainError('SPONSORSHIP_OFF')
    const applicant = {
      kind: 'registration',
      wallet,
      codeHash,
      clientNetwork: clientNetwork(clientIp),
    } as const
    const money = await readFunds('registration', context)
    checkQuota(applicant, await context.reservations.readUsage(applicant), money)
    return { eligible: true, feePayerBalance: String(money.balance), reason: null }
  } catch (error) {
    if (!isDomainError(error) || !REASONS.has(error.code)) throw error
    return { eligible: false, feePayerBalance: null, reason: error.message }
  }
}
