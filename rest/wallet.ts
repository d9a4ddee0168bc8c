import type { FastifyRequest } from 'fastify'
import type { Pubkey } from '../src/domain/pubkey.ts'
import type { SignedRequest } from '../src/identity/wallet-auth/signed-request.ts'
import type { Services } from '../src/services.ts'

/** The wallet of a request, checked once however often it is asked for. */
export type Authenticate = (request: FastifyRequest) => Promise<Pubkey>

export function createAuthenticate({ walletAuth }: Services): Authenticate {
  const wallets = new WeakMap<FastifyRequest, Promise<Pubkey>>()
  return (request) => {
    const wallet = wallets.get(request) ?? walletAuth.authenticate(signedRequest(request))
    wallets.set(request, wallet)
    return wallet
  }
}

function signedRequest({ method, raw, headers }: FastifyRequest): SignedRequest {
  return {
    method,
    path: raw.url?.replace(/\?.*$/s, '') ?? '',
    pubkey: text(headers['x-wallet-pubkey']),
    signature: text(headers['x-wallet-signature']),
    timestamp: text(headers['x-wallet-timestamp']),
  }
}

/** Node joins a repeated header with commas, which none of the three may have. */
function text(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header
}
