import { Counter, Gauge } from 'prom-client'
import type { Metrics } from '../platform/metrics/metrics.ts'
import type { SponsorshipKind } from '../domain/sponsorship.ts'

const KINDS: readonly SponsorshipKind[] = ['registration', 'transaction']

export interface SponsorshipMetrics {
  /** Registrations, sponsored prepares and submits, and why they were refused. */
  readonly requests: Counter<'operation' | 'outcome'>
  /** What left the fee payer, read from the ledger once it is final. */
  readonly spent: Counter<'kind'>
}

export function createSponsorshipMetrics(
  metrics: Metrics,
  sources: { openReservations: () => Promise<number>; balance: (() => Promise<bigint>) | null },
): SponsorshipMetrics {
  const registers = [metrics]
  gauge(metrics, 'gateway_sponsorship_open_reservations', 'Sponsored transactions that are open', () =>
    sources.openReservations(),
  )
  const { balance } = sources
  if (balance !== null) {
    gauge(
      metrics,
      'gateway_sponsorship_fee_payer_lamports',
      'Balance of the fee payer in lamports',
      async () => Number(await balance()),
    )
  }
  const spent = new Counter({
    name: 'gateway_sponsorship_spent_lamports_total',
    help: 'Lamports that sponsorship cost, by kind: registration or transaction',
    labelNames: ['kind'],
    registers,
  })
  // A series that begins with its first lamports shows no increase to a rule.
  for (const kind of KINDS) spent.inc({ kind }, 0)
  return {
    requests: new Counter({
      name: 'gateway_sponsorship_requests_total',
      help: 'Requests to be sponsored by operation and outcome: ok, or the code of the error',
      labelNames: ['operation', 'outcome'],
      registers,
    }),
    spent,
  }
}

/** Read when it is asked for; NaN while it cannot be read, so that the other metrics still are. */
function gauge(metrics: Metrics, name: string, help: string, read: () => Promise<number>): void {
  const made = new Gauge({
    name,
    help,
    registers: [],
    async collect() {
      this.set(await read().catch(() => NaN))
    },
  })
  metrics.registerMetric(made)
}
