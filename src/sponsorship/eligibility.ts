import { clientNetwork } from '../domain/client-network.ts'
import { DomainError, isDomainError } from '../domain/errors.ts'
import { SPONSORSHIP_ERRORS } from '../domain/error-table.ts'
import { pubkeyParameter, requiredText } from '../domain/parameters.ts'
import { checkEligible } from './check-and-build.ts'
import type { SponsorContext } from './context.ts'
import { inviteCodeHash } from './invite-code.ts'

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
 * Whether `register` would sponsor a registration now. Takes nothing. Throws FIELD_REQUIRED,
 * INVALID_PUBKEY, LEDGER_UNAVAILABLE.
 */
export async function eligibility(
  input: EligibilityInput,
  clientIp: string,
  context: SponsorContext | null,
): Promise<Eligibility> {
  const wallet = pubkeyParameter('wallet', requiredText('wallet', input.wallet))
  const codeHash = inviteCodeHash(requiredText('code', input.code)) ?? ''
  try {
    if (context === null) throw new DomainError('SPONSORSHIP_OFF')
    const request = {
      kind: 'registration',
      wallet,
      agentPda: context.addresses.agent(wallet),
      codeHash,
      clientNetwork: clientNetwork(clientIp),
    } as const
    const { balance } = await checkEligible(request, context)
    return { eligible: true, feePayerBalance: String(balance), reason: null }
  } catch (error) {
    // These errors are reasons. Others, like LEDGER_UNAVAILABLE, are errors of the request.
    if (!isDomainError(error) || !Object.hasOwn(SPONSORSHIP_ERRORS, error.code)) throw error
    return { eligible: false, feePayerBalance: null, reason: error.message }
  }
}
