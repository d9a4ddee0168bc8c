import { Histogram } from 'prom-client'
import type { Metrics } from '../../src/platform/metrics/metrics.ts'
import type { RestApp } from '../rest-app.ts'

/** Seconds; an in-memory read takes about one millisecond, a submit waits up to five seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** What Prometheus reads; every answer is counted by its route's pattern, never by its path. */
export function metricsRoute(app: RestApp, metrics: Metrics): void {
  const requests = new Histogram({
    name: 'gateway_http_request_duration_seconds',
    help: 'Answers by method, route and status, and how long they took; the status is `shed` where there was too much to do',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [metrics],
  })
  app.addHook('onResponse', ({ method, routeOptions, isShed }, { statusCode, elapsedTime }, done) => {
    const route = routeOptions.url ?? 'unknown'
    requests.observe({ method, route, status: isShed ? 'shed' : statusCode }, elapsedTime / 1000)
    done()
  })
  app.get('/metrics', { config: { priority: 'exempt' }, schema: { hide: true } }, async (_, reply) =>
    reply.type(metrics.contentType).send(await metrics.metrics()),
  )
}
