import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../src/identity/sessions/sessions.ts'
import type { Services } from '../../src/compose/services.ts'
import { object, text } from '../contract/shapes.ts'
import { countRequest } from './rate-limits.ts'

/**
 * Verifies the wallet headers or the session token of a request. Counts the request first, because
 * verifying costs work.
 */
export async function authenticateRequest(services: Services, request: FastifyRequest): Promise<Caller> {
  await countRequest(services, request, 'authenticated')
  const { method, raw, headers } = request
  return services.walletAuth.authenticate({
    method,
    path: raw.url?.replace(/\?.*$/s, '') ?? '',
    pubkey: headerText(headers['x-wallet-pubkey']),
    signature: headerText(headers['x-wallet-signature']),
    timestamp: headerText(headers['x-wallet-timestamp']),
    authorization: headers.authorization,
    clientIp: request.ip,
  })
}

/**
 * Verifies the session token of a WebSocket or stream, for each operation again, so that a session
 * that ended has no effect. Wallet headers are not used: a signature is valid for a minute.
 */
export async function authenticateToken(
  services: Services,
  request: FastifyRequest,
  authorization: string | undefined,
): Promise<Caller> {
  await countRequest(services, request, 'authenticated')
  const unsigned = { method: '', path: '', pubkey: undefined, signature: undefined, timestamp: undefined }
  return services.walletAuth.authenticate({ ...unsigned, authorization, clientIp: request.ip })
}

/** Node joins repeated headers with commas. No valid wallet header contains one. */
function headerText(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header
}

const WALLET_HEADERS = {
  'x-wallet-pubkey': text(
    'Public key of the wallet: 32 bytes in base-58.',
    'DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs',
  ),
  'x-wallet-signature': text(
    'Ed25519 signature of `service-auth:<pubkey>:<timestamp>:<METHOD>:<path>`, in base-58.',
    '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW',
  ),
  'x-wallet-timestamp': text('Unix time in seconds, as in the signed text.', '1795184526'),
}

/** For endpoints that require a wallet: three headers ("Authentication"), or a session. */
export const walletHeaders = {
  headers: object(WALLET_HEADERS, { optional: Object.keys(WALLET_HEADERS) }),
}

/** What an endpoint requires. `session` is for endpoints about it: wallet headers have none. */
export const SECURITY = {
  wallet: [{ WalletPubkey: [], WalletSignature: [], WalletTimestamp: [] }, { session: [] }],
  session: [{ session: [] }],
} as const
