import { Counter } from 'prom-client'
import type { Metrics } from '../platform/metrics/metrics.ts'

export interface RelayMetrics {
  /** Prepares, submits and so on, and how they were answered. */
  readonly requests: Counter<'operation' | 'outcome'>
  /** Transactions that became confirmed or failed. One that a fork takes back and that lands again counts twice. */
  readonly transactions: Counter<'status' | 'error' | 'sponsored'>
}

export function createRelayMetrics(metrics: Metrics): RelayMetrics {
  const registers = [metrics]
  return {
    requests: new Counter({
      name: 'gateway_relay_requests_total',
      help: 'Requests to the relay by operation and outcome: ok, or the code of the error',
      labelNames: ['operation', 'outcome'],
      registers,
    }),
    transactions: new Counter({
      name: 'gateway_relay_transactions_total',
      help: 'Transactions that became confirmed or failed, by status and code of the failure',
      labelNames: ['status', 'error', 'sponsored'],
      registers,
    }),
  }
}
