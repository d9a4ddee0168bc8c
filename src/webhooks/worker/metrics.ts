import { Counter, Gauge, Histogram } from 'prom-client'
import type { Metrics } from '../../platform/metrics/metrics.ts'

export interface WorkerMetrics {
  readonly inFlight: Gauge
  readonly dueAge: Gauge<'lane'>
  readonly waiting: Gauge<'lane'>
  readonly attempts: Counter<'class'>
  readonly durations: Histogram
  readonly breakerOpens: Counter
  readonly reclaims: Counter
  readonly staleTokens: Counter
  readonly disabled: Counter<'reason'>
  readonly disabledEndpoints: Gauge
  readonly pausedEndpoints: Gauge
}

export function createWorkerMetrics(metrics: Metrics): WorkerMetrics {
  const registers = [metrics]
  return {
    inFlight: new Gauge({
      name: 'gateway_webhooks_in_flight',
      help: 'Attempts of this process now',
      registers,
    }),
    dueAge: new Gauge({
      name: 'gateway_webhooks_due_age_seconds',
      help: 'How long the oldest due delivery has waited; paused webhooks aside',
      labelNames: ['lane'],
      registers,
    }),
    waiting: new Gauge({
      name: 'gateway_webhooks_waiting_deliveries',
      help: 'Deliveries that wait for an attempt',
      labelNames: ['lane'],
      registers,
    }),
    attempts: new Counter({
      name: 'gateway_webhooks_attempts_total',
      help: 'Attempts by class of their result: 2xx, 3xx, 4xx, 5xx, or the class of the error',
      labelNames: ['class'],
      registers,
    }),
    durations: new Histogram({
      name: 'gateway_webhooks_attempt_duration_seconds',
      help: 'How long attempts took',
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    }),
    breakerOpens: new Counter({
      name: 'gateway_webhooks_breaker_opens_total',
      help: 'How often a webhook was paused because nobody answered',
      registers,
    }),
    reclaims: new Counter({
      name: 'gateway_webhooks_reclaims_total',
      help: 'Deliveries taken over after a lease ran out',
      registers,
    }),
    staleTokens: new Counter({
      name: 'gateway_webhooks_stale_tokens_total',
      help: 'Outcomes that came after their lease was lost, and so changed nothing',
      registers,
    }),
    disabled: new Counter({
      name: 'gateway_webhooks_disabled_total',
      help: 'Webhooks switched off by the service',
      labelNames: ['reason'],
      registers,
    }),
    disabledEndpoints: new Gauge({
      name: 'gateway_webhooks_disabled_endpoints',
      help: 'Webhooks that the service has switched off and nobody on again',
      registers,
    }),
    pausedEndpoints: new Gauge({
      name: 'gateway_webhooks_paused_endpoints',
      help: 'Active webhooks that nothing is sent to for now',
      registers,
    }),
  }
}
