import { DomainError } from '../domain/errors.ts'
import { pubkeyParameter, requiredText } from '../domain/parameters.ts'
import type { TransactionRecord } from '../relay/record.ts'
import type { Relay } from '../relay/relay.ts'
import type { SponsorContext } from './context.ts'
import { inviteCodeHash } from './invite-code.ts'
import { readPrepared } from './read-prepared.ts'

export interface SubmitRegistrationInput {
  /** The id that `register` returned. */
  readonly id?: string | null
  /** base64, signed by the wallet. The fee payer's signature is zeros. */
  readonly signedTx?: string | null
  readonly signerPubkey?: string | null
  readonly inviteCode?: string | null
}

/**
 * Signs a registration as the fee payer after its wallet signed it, and sends it. Throws
 * FIELD_REQUIRED, NOT_A_REGISTRATION, REGISTRATION_MISMATCH, and what POST /relay/submit and
 * `countersign` throw.
 */
export async function submitRegistration(
  input: SubmitRegistrationInput,
  clientIp: string,
  relay: Pick<Relay, 'submit'>,
  context: SponsorContext | null,
): Promise<TransactionRecord> {
  if (context === null) throw new DomainError('SPONSORSHIP_OFF')
  const id = requiredText('id', input.id)
  const signedTx = requiredText('signedTx', input.signedTx)
  const wallet = pubkeyParameter('signerPubkey', requiredText('signerPubkey', input.signerPubkey))
  const codeHash = inviteCodeHash(requiredText('inviteCode', input.inviteCode))
  return relay.submit({ id, signedTx }, clientIp, (row) => {
    const prepared = row.sponsored ? readPrepared(row, context.addresses) : null
    if (prepared?.kind !== 'registration') throw new DomainError('NOT_A_REGISTRATION')
    if (prepared.wallet !== wallet || prepared.codeHash !== codeHash)
      throw new DomainError('REGISTRATION_MISMATCH')
  })
}
