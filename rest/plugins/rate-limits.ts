import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GuardedKind, RateLimitState } from '../../src/platform/rate-limits/rate-limits.ts'
import type { Services } from '../../src/compose/services.ts'
import { LimitedRequest } from './connections.ts'
import { hasBody } from './server-options.ts'

/** Bytes of a body or a message that cost one unit. The most expensive JSON takes 0.7 ms. */
export const BYTES_PER_UNIT = 32_768

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Units that every request to the route costs. Default: one. */
    units?: number
  }
  interface FastifyRequest {
    /**
     * The limit that refused the request, or else the counted limit with the fewest units
     * remaining; null if none was counted.
     */
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
  kind: GuardedKind,
): void | Promise<void> {
  return rateLimits.count(kind, request.ip, (state) => report(request, state))
}

/**
 * Charges the units of a request, of which `paid` were charged before. Throws RATE_LIMITED and
 * REQUEST_TOO_EXPENSIVE.
 */
export function chargeRequest(
  { rateLimits }: Services,
  request: FastifyRequest,
  units: number,
  options: { kind?: 'reads' | 'files'; paid?: number },
): void {
  rateLimits.charge(request.ip, units, { ...options, report: (state) => report(request, state) })
}

function report(request: FastifyRequest, state: RateLimitState): void {
  const shown = request.rateLimit
  const replaces = shown === null || !state.allowed || (shown.allowed && state.remaining <= shown.remaining)
  if (replaces) request.rateLimit = state
}

/**
 * Charges every request the units of its route, usually one, when its turn has come, also if no
 * route can answer it. Health checks and metrics are exempt: a refusal costs as much.
 */
export function countRequests(app: FastifyInstance, services: Services): void {
  app.decorateRequest('rateLimit', null)
  app.addHook('onRequest', (request, _reply, done) => {
    const { priority, units = 1 } = request.routeOptions.config ?? {}
    const kind = priority === 'file' ? 'files' : 'reads'
    if (priority !== 'exempt') chargeRequest(services, request, units, { kind })
    const { raw, ip } = request
    // The length of a chunked body is known only at its end.
    if (raw instanceof LimitedRequest && hasBody(raw))
      raw.once('end', () => services.rateLimits.chargeUsed(ip, Math.floor(raw.bodyBytes / BYTES_PER_UNIT)))
    done()
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    sendRateLimit(reply)
    done()
  })
}

/** Sends the RateLimit headers of the IETF draft (version 7 and before). */
export function sendRateLimit(reply: FastifyReply): void {
  const { rateLimit } = reply.request
  if (rateLimit === null) return
  reply.headers({
    'ratelimit-limit': rateLimit.limit,
    'ratelimit-remaining': rateLimit.remaining,
    'ratelimit-reset': rateLimit.resetSeconds,
  })
}
