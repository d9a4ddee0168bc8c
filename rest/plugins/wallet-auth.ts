import type { FastifyRequest } from 'fastify'
import type { Pubkey } from '@agent-registry/solana'
import type { Services } from '../../src/services.ts'
import { countRequest } from './rate-limits.ts'

/**
 * Verifies the wallet headers of a request. Counts the request first, because verifying costs work.
 */
export async function authenticateRequest(services: Services, request: FastifyRequest): Promise<Pubkey> {
  await countRequest(services, request, 'authenticated')
  const { method, raw, headers } = request
  return services.walletAuth.authenticate({
    method,
    path: raw.url?.replace(/\?.*$/s, '') ?? '',
    pubkey: headerText(headers['x-wallet-pubkey']),
    signature: headerText(headers['x-wallet-signature']),
    timestamp: headerText(headers['x-wallet-timestamp']),
  })
}

/** Node joins repeated headers with commas. No valid wallet header contains one. */
function headerText(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header
}
