import { type Kysely, sql } from 'kysely'
import { Counter, Gauge, Histogram } from 'prom-client'
import type { Database } from '../db/database.ts'
import type { DisabledReason } from '../domain/webhook-delivery.ts'
import { addLabelledGauge, type Metrics } from '../platform/metrics/metrics.ts'
import type { Settlement, SettleResult } from './settle.ts'
import type { Slots } from './slots.ts'

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>

export function createWorkerMetrics(registry: Metrics, slots: Pick<Slots, 'inFlight'>) {
  const registers = [registry]
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name: `gateway_webhooks_${name}`, help, labelNames, registers })
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name: `gateway_webhooks_${name}_total`, help, labelNames, registers })

  const inFlight = {
    name: 'gateway_webhooks_in_flight',
    help: 'Delivery attempts in flight in this process',
    label: 'lane',
  }
  addLabelledGauge(registry, inFlight, () => ({
    fast: slots.inFlight('fast'),
    slow: slots.inFlight('slow'),
  }))
  const dueAge = gauge(
    'due_age_seconds',
    'Time that the oldest due delivery has waited, without paused webhooks',
    'status',
  )
  const waiting = gauge('waiting_deliveries', 'Deliveries that wait for an attempt', 'status')
  const attempts = counter('attempts', 'Attempts by result: 2xx, 3xx, 4xx, 5xx or the error code', 'class')
  const durations = new Histogram({
    name: 'gateway_webhooks_attempt_duration_seconds',
    help: 'Duration of attempts',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers,
  })
  const opens = counter('breaker_opens', 'Webhooks paused because the receiver was unreachable')
  const reclaims = counter('reclaims', 'Deliveries reclaimed after their lease expired')
  const staleTokens = counter('stale_tokens', 'Outcomes ignored because their lease had expired')
  const disabled = counter('disabled', 'Webhooks disabled by the service', 'reason')
  const disabledNow = gauge('disabled_endpoints', 'Webhooks that the service disabled and that are still off')
  const pausedNow = gauge('paused_endpoints', 'Active webhooks that are paused')
  return {
    reclaimed: (deliveries: number) => reclaims.inc(deliveries),
    attempted: ({ response_status: status, error_code: code, duration_ms: ms }: Settlement) => {
      attempts.inc({ class: code ?? (status === null ? 'none' : `${Math.floor(status / 100)}xx`) })
      durations.observe(ms / 1_000)
    },
    settled: (result: SettleResult) => {
      staleTokens.inc(result.stale)
      opens.inc(result.breakersOpened)
      for (const { reason } of result.disabled) disabled.inc({ reason })
    },
    counted: (stats: WebhookStats) => {
      for (const status of ['pending', 'retrying'] as const) {
        dueAge.set({ status }, stats.dueAge[status] ?? 0)
        waiting.set({ status }, stats.deliveries[status])
      }
      disabledNow.set(stats.subscriptions.disabled)
      pausedNow.set(stats.subscriptions.paused)
    },
  }
}

/** Current numbers for operators. Ages are in seconds. */
interface WebhookStats {
  readonly subscriptions: { readonly active: number; readonly paused: number; readonly disabled: number }
  readonly deliveries: {
    readonly pending: number
    readonly retrying: number
    readonly inFlight: number
    /** Expired leases that no worker has reclaimed yet. */
    readonly expired: number
  }
  /** Time since the oldest delivery became due, without paused webhooks. Null if none is due. */
  readonly dueAge: { readonly pending: number | null; readonly retrying: number | null }
  /** Attempts of the last hour by outcome. */
  readonly lastHour: Readonly<Record<string, number>>
}

/** A webhook whose receiver fails, or that the service disabled for that. */
export interface FailingWebhook {
  readonly id: string
  readonly wallet: string
  /** Of the receiver. Not the whole URL, which can contain a secret. */
  readonly host: string | null
  readonly failingSince: string | null
  /** The service sends nothing before this time. */
  readonly pausedUntil: string | null
  readonly disabledReason: DisabledReason | null
}

const FAILING = 20

/** The webhooks that failed last. */
export async function readFailingWebhooks(db: Kysely<Database>): Promise<FailingWebhook[]> {
  const { rows } = await sql<FailingWebhook>`
    select id, wallet, host, failing_since as "failingSince", paused_until as "pausedUntil",
      case when not active then disabled_reason end as "disabledReason"
    from webhook_subscriptions
    where deleted_at is null and (active and failing_since is not null or not active and disabled_at is not null)
    order by coalesce(last_failure_at, disabled_at) desc nulls last limit ${sql.lit(FAILING)}`.execute(db)
  return rows
}

export async function readWebhookStats(db: Kysely<Database>): Promise<WebhookStats> {
  const { rows } = await sql<WebhookStats>`
    with open as (
      select q.status, q.due_at, s.active and s.deleted_at is null
        and (s.paused_until is null or s.paused_until <= now()) as sendable
      from webhook_queue q join webhook_subscriptions s on s.id = q.subscription_id
    )
    select
      (select json_build_object(
        'active', count(*) filter (where active),
        'paused', count(*) filter (where active and paused_until > now()),
        'disabled', count(*) filter (where disabled_at is not null and not active))
        from webhook_subscriptions where deleted_at is null) as subscriptions,
      (select json_build_object(
        'pending', count(*) filter (where status = 'pending'),
        'retrying', count(*) filter (where status = 'retrying'),
        'inFlight', count(*) filter (where status = 'in_flight'),
        'expired', count(*) filter (where status = 'in_flight' and due_at < now())) from open) as deliveries,
      (select json_build_object(
        'pending', round(extract(epoch from now() - min(due_at) filter (where status = 'pending')), 3),
        'retrying', round(extract(epoch from now() - min(due_at) filter (where status = 'retrying')), 3))
        from open where sendable and due_at <= now()) as "dueAge",
      (select coalesce(json_object_agg(outcome, attempts), '{}') from (
        select outcome, count(*) as attempts from webhook_attempts
        where started_at > now() - interval '1 hour' group by outcome) as counted) as "lastHour"`.execute(db)
  return rows[0]!
}
