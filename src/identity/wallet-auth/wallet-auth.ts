import type { Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'
import { clientNetwork } from '../../domain/client-network.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Caller } from '../sessions/session.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { createSignatureNetworks } from './signature-networks.ts'
import { type SignedRequest, verifyRequest } from './verify-request.ts'

/** What a request says about its sender. */
export interface AuthenticatedRequest extends SignedRequest {
  /** The Authorization header, or its equivalent on a WebSocket. */
  readonly authorization?: string | undefined
  readonly clientIp: string
}

/** Finds out which wallet sends a request. */
export interface WalletAuth {
  /**
   * The wallet that signed the request, or whose session token it has. If any wallet header is
   * there, the token is ignored. Throws the errors of `verifyRequest`, then SIGNATURE_USED if the
   * signature was first used from another client network; for a token SESSION_INVALID.
   */
  authenticate(request: AuthenticatedRequest): Promise<Caller>
}

const USED_ELSEWHERE =
  'The signature was first used from another client network: another IPv4 address or IPv6 /64.'
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
  const signatures = createSignatureNetworks(kysely)
  return {
    authenticate: async ({ authorization = '', clientIp, ...request }) => {
      const { pubkey, signature: encoded, timestamp } = request
      const isSigned = [pubkey, encoded, timestamp].some((header) => header !== undefined)
      const [, token] = isSigned ? [] : (BEARER.exec(authorization) ?? [])
      if (token !== undefined) {
        const session = await sessions.authenticate(token)
        return { wallet: session.wallet, session }
      }
      const { wallet, signature } = verifyRequest(request, clock.now())
      // The signed text has whole seconds and no body, so an honest client repeats signatures.
      if (!(await signatures.bind(signature, clientNetwork(clientIp))))
        throw new DomainError('SIGNATURE_USED', {}, { addition: { message: USED_ELSEWHERE } })
      return { wallet, session: null }
    },
  }
}
