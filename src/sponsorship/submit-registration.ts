import { pubkeyParameter } from '../domain/parameters.ts'
import { DomainError } from '../domain/errors.ts'
import type { TransactionRecord } from '../relay/record.ts'
import type { Relay } from '../relay/relay.ts'
import type { SponsorContext } from './context.ts'
import { inviteCodeHash } from './invite-code.ts'
import { required } from './required.ts'

export interface SubmitRegistrationInput {
  /** Of `register`. */
  readonly id?: string | null
  /** base64, signed by the wallet; zeros where the fee payer's signature goes. */
  readonly signedTx?: string | null
  readonly signerPubkey?: string | null
  readonly inviteCode?: string | null
}

/**
 * Takes a registration that its wallet has signed, signs it as the fee payer, and sends it. Throws FIELD_REQUIRED, NOT_A_REGISTRATION,
 * REGISTRATION_MISMATCH, what POST /relay/submit throws, and what `countersign` throws.
 */
export async function submitRegistration(
  input: SubmitRegistrationInput,
  relay: Pick<Relay, 'submit'>,
  { reservations }: SponsorContext,
): Promise<TransactionRecord> {
  const id = required('id', input.id)
  const signedTx = required('signedTx', input.signedTx)
  const signer = pubkeyParameter('signerPubkey', required('signerPubkey', input.signerPubkey))
  const codeHash = inviteCodeHash(required('inviteCode', input.inviteCode))
  return relay.submit({ id, signedTx }, async (row) => {
    const sponsorship = row.sponsored ? await reservations.find(row.id) : null
    if (sponsorship?.kind !== 'registration') throw new DomainError('NOT_A_REGISTRATION')
    if (sponsorship.wallet !== signer || sponsorship.code_hash !== codeHash)
      throw new DomainError('REGISTRATION_MISMATCH')
  })
}
