import { type Kysely, sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { DELIVERIES_CHANNEL } from '../../../domain/webhook-delivery.ts'

/**
 * Adds one delivery per event and matching subscription, in the transaction that writes the event.
 * Existing deliveries stay, except that cancelled ones become due again.
 */
export async function enqueueDeliveries(db: Kysely<Database>, outboxIds: readonly string[]): Promise<void> {
  if (outboxIds.length === 0) return
  const { rows } = await sql`
    insert into webhook_deliveries as d
      (subscription_id, network, event_id, event_type, next_attempt_at, created_at)
    select s.id, coalesce(s.network, s.wallet), o.id, o.type, clock_timestamp(), clock_timestamp()
    from outbox_events o
    join webhook_subscriptions s
      on (s.filter_agent_pda is null or s.filter_agent_pda = o.agent_pda) and o.type = any(s.event_types)
    where o.id = any(${outboxIds}) and s.active and s.deleted_at is null
    order by o.sequence
    on conflict (event_id, subscription_id) do update set
      status = 'pending', trigger = 'event', retry_step = 0, next_attempt_at = now(), completed_at = null
    where d.status = 'cancelled'
    returning true as enqueued`.execute(db)
  // Workers that receive the notification need not wait for their next poll.
  if (rows.length > 0) await sql`select pg_notify(${DELIVERIES_CHANNEL}, '')`.execute(db)
}

/** Cancels the unsent deliveries of events that a fork removed. */
export async function cancelDeliveries(db: Kysely<Database>, outboxIds: readonly string[]): Promise<void> {
  if (outboxIds.length === 0) return
  await sql`
    update webhook_deliveries set status = 'cancelled', next_attempt_at = null, completed_at = now()
    where status in ('pending', 'retrying') and event_id = any(${outboxIds})`.execute(db)
}
