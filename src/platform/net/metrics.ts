import { Counter } from 'prom-client'
import type { Metrics } from '../metrics/metrics.ts'

export interface NetMetrics {
  readonly socketsOpened: Counter
  readonly socketsReused: Counter
  readonly failures: Counter<'code'>
}

export function createNetMetrics(metrics: Metrics): NetMetrics {
  const registers = [metrics]
  return {
    socketsOpened: new Counter({
      name: 'gateway_net_sockets_opened_total',
      help: 'Connections opened to webhook receivers and to hosts of agent cards and credentials.',
      registers,
    }),
    socketsReused: new Counter({
      name: 'gateway_net_sockets_reused_total',
      help: 'Requests sent over a connection that was used before.',
      registers,
    }),
    failures: new Counter({
      name: 'gateway_net_failures_total',
      help: 'Requests without a response, by error code. ssrf_blocked: the address is not public.',
      labelNames: ['code'],
      registers,
    }),
  }
}
