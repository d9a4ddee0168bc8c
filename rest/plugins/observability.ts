import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Histogram } from 'prom-client'
import { DomainError } from '../../src/domain/errors.ts'
import { bearerCheck } from '../../src/platform/bearer.ts'
import type { Metrics } from '../../src/platform/metrics/metrics.ts'
import { isLoopback } from '../../src/platform/net/address-guard.ts'

/** Seconds. A read takes about a millisecond; a submit waits up to five seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Sends the request id, and logs and measures each response. */
export function observeRequests(app: FastifyInstance, metrics: Metrics): void {
  const durations = new Histogram({
    name: 'gateway_http_request_duration_seconds',
    help: 'Duration of responses by method, route and status; the status is `shed` for requests refused because of overload',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [metrics],
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', (request, { statusCode, elapsedTime }, done) => {
    const { method, routeOptions, isShed } = request
    // Without the query, which can contain an invite code.
    const path = request.url.replace(/\?.*$/s, '')
    request.log.debug({ method, path, status: statusCode, ms: elapsedTime }, 'request')
    // By the pattern of the route, because the number of paths is unlimited.
    const route = routeOptions.url ?? 'unknown'
    durations.observe({ method, route, status: isShed ? 'shed' : statusCode }, elapsedTime / 1000)
    done()
  })
}

/** Names of headers that proxies add. */
const OF_PROXIES = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/

/**
 * The endpoint that Prometheus reads. Reading all metrics takes some milliseconds, so only this
 * machine may, and who has the token.
 */
export function metricsRoute(app: FastifyInstance, metrics: Metrics, token: string | null): void {
  const hasToken = bearerCheck(token)
  const isAllowed = ({ ip, headers }: FastifyRequest): boolean => {
    if (hasToken(headers.authorization)) return true
    // Otherwise a proxy on this machine that is not in TRUST_PROXY would open it to everybody.
    const isForwarded = Object.keys(headers).some((name) => OF_PROXIES.test(name))
    return isLoopback(ip) && !isForwarded
  }
  let reading: Promise<string> | null = null
  app.get('/metrics', { config: { priority: 'exempt' }, schema: { hide: true } }, async (request, reply) => {
    if (!isAllowed(request)) throw new DomainError('METRICS_FORBIDDEN')
    reading ??= metrics.metrics().finally(() => (reading = null))
    return reply.type(metrics.contentType).send(await reading)
  })
}
