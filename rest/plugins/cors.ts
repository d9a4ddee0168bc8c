import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RestApp } from '../rest-app.ts'

const METHODS = 'GET, HEAD, POST, PATCH, DELETE'
/** What clients of the documented paths, GraphQL and MCP send, and what they may read of an answer. */
const REQUEST_HEADERS = [
  'content-type',
  'accept',
  'x-wallet-pubkey',
  'x-wallet-signature',
  'x-wallet-timestamp',
  'x-request-id',
  'if-none-match',
  'last-event-id',
  'mcp-session-id',
  'mcp-protocol-version',
].join(', ')
const ANSWER_HEADERS =
  'x-request-id, ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, etag, mcp-session-id'
const MAX_AGE_SECONDS = 600

/**
 * Lets pages of these origins (`*`: of all) call the service. Nothing here goes by cookies, so credentials are never allowed. A preflight is
 * answered before anything else looks at it; other OPTIONS requests are not.
 */
export function allowOrigins(app: RestApp, origins: readonly string[]): void {
  if (origins.length === 0) return
  const any = origins.includes('*')
  const allowed = new Set(origins)
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers
    if (!any) reply.header('vary', 'origin')
    if (any || (origin !== undefined && allowed.has(origin))) {
      reply.header('access-control-allow-origin', any ? '*' : origin)
      reply.header('access-control-expose-headers', ANSWER_HEADERS)
      if (isPreflight(request)) {
        sendPreflight(reply)
        return
      }
    }
    done()
  })
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}

function sendPreflight(reply: FastifyReply): void {
  reply.headers({
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': REQUEST_HEADERS,
    'access-control-max-age': MAX_AGE_SECONDS,
  })
  reply.code(204).send()
}
