import type { Metrics } from '../src/metrics/metrics.ts'
import type { RestApp } from './door.ts'

/** What Prometheus reads. */
export function metricsRoute(app: RestApp, metrics: Metrics): void {
  app.get('/metrics', { schema: { hide: true } }, async (_, reply) =>
    reply.type(metrics.contentType).send(await metrics.metrics()),
  )
}
