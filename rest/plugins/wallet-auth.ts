import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../src/identity/sessions/sessions.ts'
import type { Services } from '../../src/compose/services.ts'
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
