import type { Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Caller } from '../sessions/session.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { createUsedSignatures } from './used-signatures.ts'
import { type SignedRequest, verifyRequest } from './verify-request.ts'

/** What a request says about its sender. */
export interface AuthenticatedRequest extends SignedRequest {
  /** The Authorization header, or its equivalent on a WebSocket. */
  readonly authorization?: string | undefined
}

/** Finds out which wallet sends a request. */
export interface WalletAuth {
  /**
   * The wallet that signed the request, or whose session token it has. If any wallet header is
   * there, the token is ignored. Marks the signature as used, so call this once per request. Throws
   * the errors of `verifyRequest`, then SIGNATURE_USED; for a token SESSION_INVALID.
   */
  authenticate(request: AuthenticatedRequest): Promise<Caller>
}

const BEARER = /^bearer +(\S+)$/i

export function createWalletAuth({
  kysely,
  clock,
  sessions,
}: {
  kysely: Kysely<Database>
  clock: Clock
  sessions: Pick<Sessions, 'authenticate'>
}): WalletAuth {
  const usedSignatures = createUsedSignatures(kysely)
  return {
    authenticate: async ({ authorization = '', ...request }) => {
      const { pubkey, signature: encoded, timestamp } = request
      const isSigned = [pubkey, encoded, timestamp].some((header) => header !== undefined)
      const [, token] = isSigned ? [] : (BEARER.exec(authorization) ?? [])
      if (token !== undefined) {
        const session = await sessions.authenticate(token)
        return { wallet: session.wallet, session }
      }
      const { wallet, signature } = verifyRequest(request, clock.now())
      if (!(await usedSignatures.markUsed(signature))) throw new DomainError('SIGNATURE_USED')
      return { wallet, session: null }
    },
  }
}
