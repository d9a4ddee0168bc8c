import { type Kysely, sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { DELIVERIES_CHANNEL } from '../../../domain/webhook-delivery.ts'

type Db = Kysely<Database>

/**
 * One delivery for each event and each active webhook that wants it, in the transaction that writes the event.
 * What is enqueued stays enqueued once; what a fork had cancelled is due again.
 */
export async function enqueueDeliveries(db: Db, outboxIds: readonly string[]): Promise<void> {
  if (outboxIds.length === 0) return
  const { rows } = await sql`
    insert into webhook_deliveries as d
      (subscription_id, event_id, event_type, next_attempt_at, created_at)
    select s.id, o.id, o.type, clock_timestamp(), clock_timestamp()
    from outbox_events o
    join webhook_subscriptions s
      on (s.filter_agent_pda is null or s.filter_agent_pda = o.agent_pda) and o.type = any(s.event_types)
    where o.id = any(${outboxIds}) and s.active and s.deleted_at is null
    order by o.sequence
    on conflict (event_id, subscription_id) do update set
      status = 'pending', trigger = 'event', retry_step = 0, next_attempt_at = now(), completed_at = null
    where d.status = 'cancelled'
    returning true as enqueued`.execute(db)
  // One for all of them: a hint that saves workers elsewhere the wait for their next look.
  if (rows.length > 0) await sql`select pg_notify(${DELIVERIES_CHANNEL}, '')`.execute(db)
}

/** Withdraws what receivers were not told yet of events that a fork took back. */
export async function cancelDeliveries(db: Db, signatures: readonly string[]): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select o.id from outbox_events o join ledger_events e on e.id = o.event_id
    where e.signature = any(${signatures})`.execute(db)
  await cancelDeliveriesOf(
    db,
    rows.map((row) => row.id),
  )
}

/** The same by what was enqueued. */
export async function cancelDeliveriesOf(db: Db, outboxIds: readonly string[]): Promise<void> {
  if (outboxIds.length === 0) return
  await sql`
    update webhook_deliveries set status = 'cancelled', next_attempt_at = null, completed_at = now()
    where status in ('pending', 'retrying') and event_id = any(${outboxIds})`.execute(db)
}
