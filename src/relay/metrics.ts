import { Counter } from 'prom-client'
import type { Metrics } from '../platform/metrics/metrics.ts'

export function createRelayMetrics(metrics: Metrics) {
  const registers = [metrics]
  return {
    requests: new Counter({
      name: 'gateway_relay_requests_total',
      help: 'Relay requests by operation and outcome: ok or the error code',
      labelNames: ['operation', 'outcome'],
      registers,
    }),
    transactions: new Counter({
      name: 'gateway_relay_transactions_total',
      help: 'Transactions that became confirmed or failed, by status and error code; again after a fork',
      labelNames: ['status', 'error', 'sponsored'],
      registers,
    }),
  }
}
