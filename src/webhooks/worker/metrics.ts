import { Counter, Gauge, Histogram } from 'prom-client'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import { type Lanes, LANES } from './lanes.ts'
import type { Settlement, SettleResult } from './settle.ts'

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>

export function createWorkerMetrics(registry: Metrics, lanes: Pick<Lanes, 'inFlight'>) {
  const registers = [registry]
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `gateway_webhooks_${name}`, help, labelNames, registers })
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name: `gateway_webhooks_${name}_total`, help, labelNames, registers })

  const inFlight: Gauge<'lane'> = new Gauge({
    name: 'gateway_webhooks_in_flight',
    help: 'Delivery attempts in flight in this process',
    labelNames: ['lane'],
    registers,
    collect: () => {
      for (const lane of LANES) inFlight.set({ lane }, lanes.inFlight(lane))
    },
  })
  return {
    dueAge: gauge(
      'due_age_seconds',
      'Time that the oldest due delivery has waited, without paused webhooks',
      ['status'],
    ),
    waiting: gauge('waiting_deliveries', 'Deliveries that wait for an attempt', ['status']),
    attempts: counter('attempts', 'Attempts by result: 2xx, 3xx, 4xx, 5xx or the error code', ['class']),
    durations: new Histogram({
      name: 'gateway_webhooks_attempt_duration_seconds',
      help: 'Duration of attempts',
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    }),
    breakerOpens: counter('breaker_opens', 'Webhooks paused because the receiver was unreachable'),
    reclaims: counter('reclaims', 'Deliveries reclaimed after their lease expired'),
    staleTokens: counter('stale_tokens', 'Outcomes ignored because their lease had expired'),
    disabled: counter('disabled', 'Webhooks disabled by the service', ['reason']),
    disabledEndpoints: gauge(
      'disabled_endpoints',
      'Webhooks that the service disabled and that are still off',
    ),
    pausedEndpoints: gauge('paused_endpoints', 'Active webhooks that are paused'),
  }
}

export function recordSettled(
  metrics: WorkerMetrics,
  { stale, breakersOpened, disabled }: SettleResult,
): void {
  metrics.staleTokens.inc(stale)
  metrics.breakerOpens.inc(breakersOpened)
  for (const { reason } of disabled) metrics.disabled.inc({ reason })
}

export function recordAttempt(metrics: WorkerMetrics, settlement: Settlement): void {
  const { response_status: status, error_code: code } = settlement
  const statusClass = status === null ? 'none' : `${Math.floor(status / 100)}xx`
  metrics.attempts.inc({ class: code ?? statusClass })
  metrics.durations.observe(settlement.duration_ms / 1_000)
}
