import type { FastifyRequest } from 'fastify'
import type { Pubkey } from '@agent-registry/solana'
import { noteRateLimit } from './rate-limit-headers.ts'
import type { Services } from '../../src/services.ts'
import type { SignedRequest } from '../../src/identity/wallet-auth/verify-request.ts'

/** The wallet of a request, checked once however often it is asked for. */
export type Authenticate = (request: FastifyRequest) => Promise<Pubkey>

/** Each request that is to be authenticated counts as one, before its signature is looked at. */
export function createAuthenticate({ walletAuth, rateLimits }: Services): Authenticate {
  const authenticate = async (request: FastifyRequest): Promise<Pubkey> => {
    await rateLimits.take('authenticated', request.ip, (state) => noteRateLimit(request, state))
    return walletAuth.authenticate(signedRequest(request))
  }
  const wallets = new WeakMap<FastifyRequest, Promise<Pubkey>>()
  return (request) => {
    const wallet = wallets.get(request) ?? authenticate(request)
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
