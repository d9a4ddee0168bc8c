import type { Kysely } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../../db/database.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import { createUsedSignatures } from './used-signatures.ts'
import { type SignedRequest, verifyRequest } from './verify-request.ts'

/** Authenticates requests that a wallet signed. */
export interface WalletAuth {
  /**
   * Returns the wallet that signed a request and marks the signature as used, so call this once per
   * request. Throws the errors of `verifyRequest`, then SIGNATURE_USED.
   */
  authenticate(request: SignedRequest): Promise<Pubkey>
}

export function createWalletAuth({ kysely, clock }: { kysely: Kysely<Database>; clock: Clock }): WalletAuth {
  const usedSignatures = createUsedSignatures(kysely)
  return {
    authenticate: async (request) => {
      const { wallet, signature } = verifyRequest(request, clock.now())
      if (!(await usedSignatures.markUsed(signature))) throw new DomainError('SIGNATURE_USED')
      return wallet
    },
  }
}
