import cors, { type FastifyCorsOptions } from '@fastify/cors'
import type { RestApp } from '../rest-app.ts'

const REQUEST_HEADERS = [
  'content-type',
  'accept',
  'authorization',
  'x-wallet-pubkey',
  'x-wallet-signature',
  'x-wallet-timestamp',
  'x-request-id',
  'if-none-match',
  'last-event-id',
  'mcp-session-id',
  'mcp-protocol-version',
].join(', ')
const RESPONSE_HEADERS =
  'x-request-id, ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, etag, mcp-session-id'

/**
 * Lets pages of these origins call the service; `*` allows every origin.
 * No cookies are used, so credentials are not allowed.
 */
export async function allowOrigins(app: RestApp, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return
  const preflight: FastifyCorsOptions = {
    origin: origins.includes('*') ? '*' : (origin, done) => done(null, origins.includes(origin ?? '')),
    methods: 'GET, HEAD, POST, PATCH, DELETE',
    allowedHeaders: REQUEST_HEADERS,
    exposedHeaders: RESPONSE_HEADERS,
    maxAge: 600,
    strictPreflight: false,
  }
  const other = { ...preflight, preflight: false }
  await app.register(cors, {
    // Every other OPTIONS request is answered with the methods of its path (request-checks.ts).
    delegator: ({ headers }, done) =>
      done(null, headers['access-control-request-method'] === undefined ? other : preflight),
  })
}
