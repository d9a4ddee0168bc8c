import { Counter, Gauge, Histogram } from 'prom-client'
import type { Metrics } from '../../platform/metrics/metrics.ts'

export type CardMetrics = ReturnType<typeof createCardMetrics>

/** `inFlight` returns the running jobs of each queue. */
export function createCardMetrics(metrics: Metrics, inFlight: () => Readonly<Record<string, number>>) {
  const registers = [metrics]
  const running: Gauge<'queue'> = new Gauge({
    name: 'gateway_cards_in_flight',
    help: 'Running checks (first, further) and credential refreshes.',
    labelNames: ['queue'],
    registers,
    collect: () => {
      for (const [queue, count] of Object.entries(inFlight())) running.set({ queue }, count)
    },
  })
  return {
    checks: new Counter({
      name: 'gateway_cards_checks_total',
      help: 'Checked agent cards, by result. stale: the card changed or the lease ended during the check.',
      labelNames: ['state'],
      registers,
    }),
    waited: new Histogram({
      name: 'gateway_cards_first_check_wait_seconds',
      help: 'Time from a new or changed agent card to the start of its check.',
      buckets: [0.25, 0.5, 1, 2, 5, 10, 30, 60, 300],
      registers,
    }),
  }
}
