import type { FastifyRequest } from 'fastify'
import type { RateLimitState } from '../../src/platform/rate-limits/gcra.ts'
import type { RateLimitKind } from '../../src/platform/rate-limits/kinds.ts'
import type { Services } from '../../src/services.ts'
import type { RestApp } from '../rest-app.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The counted limit with the fewest requests remaining; null if none was counted. */
    rateLimit: RateLimitState | null
  }
}

/**
 * Counts a request of its client, and reports the result in the response headers. Throws
 * RATE_LIMITED.
 */
export function countRequest(
  { rateLimits }: Services,
  request: FastifyRequest,
  kind: RateLimitKind,
): void | Promise<void> {
  return rateLimits.count(kind, request.ip, (state) => {
    if (request.rateLimit === null || state.remaining <= request.rateLimit.remaining)
      request.rateLimit = state
  })
}

/** Sends the RateLimit headers of the IETF draft (version 7 and before). */
export function rateLimitHeaders(app: RestApp): void {
  app.decorateRequest('rateLimit', null)
  app.addHook('onSend', ({ rateLimit }, reply, _payload, done) => {
    if (rateLimit !== null) {
      reply.headers({
        'ratelimit-limit': rateLimit.limit,
        'ratelimit-remaining': rateLimit.remaining,
        'ratelimit-reset': rateLimit.resetSeconds,
      })
    }
    done()
  })
}
