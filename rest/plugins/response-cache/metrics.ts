import { Counter, Gauge } from 'prom-client'
import type { Metrics } from '../../../src/platform/metrics/metrics.ts'

/** `hit` is an answer that was kept, `shared` one that another request was being given, `miss` one that was made. */
export const OUTCOMES = ['hit', 'shared', 'miss'] as const

export type Outcome = (typeof OUTCOMES)[number]

export interface CacheMetrics {
  counted(outcome: Outcome): void
  notModified(): void
}

export function createCacheMetrics(
  metrics: Metrics,
  kept: { bytes: () => number; entries: () => number },
): CacheMetrics {
  const requests = new Counter({
    name: 'gateway_response_cache_requests_total',
    help: 'Reads by whether their answer was kept, was being made for another request, or was made',
    labelNames: ['outcome'],
    registers: [metrics],
  })
  const notModified = new Counter({
    name: 'gateway_response_cache_not_modified_total',
    help: 'Reads whose client had the answer already',
    registers: [metrics],
  })
  const gauge = (name: string, help: string, value: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers: [metrics],
      collect() {
        this.set(value())
      },
    })
  gauge('gateway_response_cache_bytes', 'What kept answers take', kept.bytes)
  gauge('gateway_response_cache_entries', 'Answers kept', kept.entries)
  const byOutcome = {
    hit: requests.labels('hit'),
    shared: requests.labels('shared'),
    miss: requests.labels('miss'),
  }
  return {
    counted: (outcome) => byOutcome[outcome].inc(),
    notModified: () => notModified.inc(),
  }
}
