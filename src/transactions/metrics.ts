import { type Kysely, sql } from 'kysely'
import { Counter, Gauge } from 'prom-client'
import type { Database } from '../db/database.ts'
import type { SponsorshipKind } from '../domain/sponsorship.ts'
import type { Metrics } from '../platform/metrics/metrics.ts'
import type { LedgerAmounts } from './sponsor-policy.ts'

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

const KINDS: readonly SponsorshipKind[] = ['registration', 'transaction']

/** `amounts` is null while sponsorship is off. */
export function createSponsorshipMetrics(
  metrics: Metrics,
  kysely: Kysely<Database>,
  amounts: LedgerAmounts | null,
) {
  registerGauge(
    metrics,
    'gateway_sponsorship_open_transactions',
    'Transactions that the fee payer signed and that have not landed yet',
    () => countOpen(kysely),
  )
  if (amounts !== null)
    registerGauge(
      metrics,
      'gateway_sponsorship_fee_payer_lamports',
      'Balance of the fee payer in lamports',
      async () => Number(await amounts.feePayerBalance.get()),
    )
  const spent = new Counter({
    name: 'gateway_sponsorship_spent_lamports_total',
    help: 'Lamports that sponsorship cost, by kind: registration or transaction',
    labelNames: ['kind'],
    registers: [metrics],
  })
  // Starts at 0: an alert rule would not see an increase to the first value of a new series.
  for (const kind of KINDS) spent.inc({ kind }, 0)
  const requests = new Counter({
    name: 'gateway_sponsorship_requests_total',
    help: 'Sponsorship requests by operation and outcome: ok or the error code',
    labelNames: ['operation', 'outcome'],
    registers: [metrics],
  })
  return { spent, requests }
}

async function countOpen(kysely: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from sponsorships where state = 'submitted'`.execute(kysely)
  return rows[0]?.count ?? 0
}

/** The value is NaN if `read` fails, so that the other metrics are still available. */
function registerGauge(metrics: Metrics, name: string, help: string, read: () => Promise<number>): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [],
    async collect() {
      this.set(await read().catch(() => NaN))
    },
  })
  metrics.registerMetric(gauge)
}
