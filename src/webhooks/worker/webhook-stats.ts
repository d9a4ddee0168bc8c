import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/** Current numbers for operators. Ages are in seconds. */
export interface WebhookStats {
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
