import { Counter } from 'prom-client'
import type { Metrics } from '../../platform/metrics/metrics.ts'

export interface CardMetrics {
  readonly checks: Counter<'state'>
}

export function createCardMetrics(metrics: Metrics): CardMetrics {
  return {
    checks: new Counter({
      name: 'gateway_cards_checks_total',
      help: 'Agent cards that were looked at, by what came of it; stale: the card changed on the ledger meanwhile.',
      labelNames: ['state'],
      registers: [metrics],
    }),
  }
}
