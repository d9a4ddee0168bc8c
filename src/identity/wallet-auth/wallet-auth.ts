import type { Kysely } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../db/database.ts'
import { DomainError } from '../../domain/errors.ts'
import { createUsedSignatures } from './used-signatures.ts'
import { verifyRequest, type SignedRequest } from './verify-request.ts'

/** Who signed a request. */
export interface WalletAuth {
  /**
   * The wallet whose signature of the request is valid, within 60 s either way, and used for the first time.
   * Throws the errors of `verifyRequest`, then SIGNATURE_USED. Using it up is part of it: ask once a request.
   */
  authenticate(request: SignedRequest): Promise<Pubkey>
}

export function createWalletAuth(dependencies: { kysely: Kysely<Database>; clock: Clock }): WalletAuth {
  const used = createUsedSignatures(dependencies.kysely)
  return {
    authenticate: async (request) => {
      const { wallet, signature } = verifyRequest(request, dependencies.clock.now())
      if (!(await used.markUsed(signature))) throw new DomainError('SIGNATURE_USED')
      return wallet
    },
  }
}
