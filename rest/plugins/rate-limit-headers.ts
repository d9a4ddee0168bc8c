import type { FastifyRequest } from 'fastify'
import type { RateLimitState } from '../../src/platform/rate-limits/gcra.ts'
import type { RestApp } from '../rest-app.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Where the client stands with the limit that it is nearest to; null where nothing was counted. */
    rateLimit: RateLimitState | null
  }
}

export function noteRateLimit(request: FastifyRequest, state: RateLimitState): void {
  if (request.rateLimit === null || state.remaining <= request.rateLimit.remaining) request.rateLimit = state
}

/** Tells every answer's client how many requests are left, in the headers of the IETF's RateLimit draft (version 7 and before). */
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
