import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { type BackgroundLoop, createBackgroundLoop } from '../platform/async/background-loop.ts'
import type { Logger } from '../platform/logger.ts'
import { createFailureLog } from '../platform/process/failure-log.ts'
import { DELIVERIES_CHANNEL, FAN_OUT_PAYLOAD } from '../domain/webhook-delivery.ts'

/** Deliveries that one transaction of the indexer enqueues. Webhook workers enqueue the others. */
export const MAX_DELIVERIES = 1_000
/** Pairs of an event and a webhook that one transaction of the indexer compares. */
const MAX_COMPARED = 20_000

/** `event` and `webhook` are rows of outbox_events and webhook_subscriptions with these names. */
const MATCHES = sql`
  (webhook.filter_agent_pda is null or webhook.filter_agent_pda = event.agent_pda)
  and event.type = any(webhook.event_types)`

/**
 * Inserts the deliveries of a query with these columns: subscription_id, network, event_id,
 * event_type. Existing deliveries stay, except that cancelled ones become due again.
 */
const insertDeliveries = (query: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into webhook_deliveries as d
    (subscription_id, network, event_id, event_type, next_attempt_at, created_at)
  select subscription_id, network, event_id, event_type, clock_timestamp(), clock_timestamp() from (${query}) as q
  on conflict (event_id, subscription_id) do update set
    status = 'pending', trigger = 'event', retry_step = 0, next_attempt_at = now(), completed_at = null
  where d.status = 'cancelled'
  returning true`

/**
 * Adds one delivery per event and matching webhook, in the transaction that writes the event. With
 * very many webhooks it adds the first ones, and `webhook_fan_outs` has where the workers continue.
 */
async function enqueueDeliveries(db: Kysely<Database>, outboxIds: readonly string[]): Promise<void> {
  const maxWebhooks = Math.ceil(MAX_COMPARED / outboxIds.length)
  const { rows } = await sql<{ enqueued: boolean; unfinished: boolean }>`
    with webhooks as materialized (
      select id, coalesce(network, wallet) as network, filter_agent_pda, event_types from webhook_subscriptions
      where active and deleted_at is null order by id limit ${maxWebhooks}
    ),
    events as materialized (
      select sequence, id, type, agent_pda from outbox_events where id = any(${outboxIds})
    ),
    matched as materialized (
      select event.sequence, event.id as event_id, event.type as event_type, webhook.id as subscription_id, webhook.network
      from events event join webhooks webhook on ${MATCHES}
      order by event.sequence, webhook.id limit ${sql.lit(MAX_DELIVERIES + 1)}
    ),
    inserted as (${insertDeliveries(sql`select * from matched order by sequence, subscription_id limit ${sql.lit(MAX_DELIVERIES)}`)}),
    -- The last pair, if there are more after it.
    stopped as (
      select sequence, subscription_id from matched
      where (select count(*) from matched) > ${sql.lit(MAX_DELIVERIES)}
      order by sequence, subscription_id limit 1 offset ${sql.lit(MAX_DELIVERIES - 1)}
    ),
    visited as (select max(id) as last from webhooks having count(*) = ${maxWebhooks}),
    unfinished as (
      insert into webhook_fan_outs as f (event_id, sequence, after)
      select e.id, e.sequence, case
          when e.sequence > s.sequence then '' when e.sequence = s.sequence then s.subscription_id else v.last end
      from events e left join stopped s on true left join visited v on true
      where e.sequence >= s.sequence or v.last is not null
      on conflict (event_id) do update set after = excluded.after, started_at = excluded.started_at
      returning true
    )
    select exists (select from inserted) as enqueued, exists (select from unfinished) as unfinished`.execute(
    db,
  )
  const { enqueued = false, unfinished = false } = rows[0] ?? {}
  if (!enqueued && !unfinished) return
  // Workers that receive the notification need not wait for their next poll.
  await sql`select pg_notify(${DELIVERIES_CHANNEL}, ${unfinished ? FAN_OUT_PAYLOAD : ''})`.execute(db)
}

/** Cancels the unsent deliveries of events that a fork removed. */
async function cancelDeliveries(db: Kysely<Database>, outboxIds: readonly string[]): Promise<void> {
  await sql`
    update webhook_deliveries set status = 'cancelled', next_attempt_at = null, completed_at = now()
    where status in ('pending', 'retrying') and event_id = any(${outboxIds})`.execute(db)
}

/** Enqueues and cancels the deliveries of events: an `EventSink` for the indexer. */
export const webhookSink = { added: enqueueDeliveries, removed: cancelDeliveries }

/** Webhooks that one statement visits. */
const BATCH = 1_000
const POLL_MS = 1_000

/** Enqueues the deliveries that the indexer left. Calls `onEnqueued` after each batch. */
export function createFanOut(options: {
  kysely: Kysely<Database>
  logger: Pick<Logger, 'warn'>
  onEnqueued: () => void
}): BackgroundLoop {
  return createBackgroundLoop({
    retryMs: POLL_MS,
    failures: createFailureLog(options.logger, 'enqueueing deliveries failed, retrying'),
    step: async (signal) => {
      while (!signal.aborted && (await continueFanOut(options.kysely))) options.onEnqueued()
      return POLL_MS
    },
  })
}

/**
 * Enqueues the oldest unfinished event for the next webhooks, and moves its cursor, in one
 * statement. Returns false if there was nothing to do. The lock on the event lets a fork that
 * removes it wait, and then cancel all of its deliveries.
 */
export async function continueFanOut(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    with oldest as materialized (
      select event_id, started_at from webhook_fan_outs order by sequence limit 1
    ),
    event as materialized (
      select o.id, o.type, o.agent_pda from oldest join outbox_events o on o.id = oldest.event_id
      where o.cancelled_at is null for share of o
    ),
    -- After the event: the indexer locks an event and then its fan-out, too.
    fan_out as materialized (
      select f.event_id, f.after, f.started_at from webhook_fan_outs f
      where f.event_id in (select id from event) for update skip locked
    ),
    webhooks as materialized (
      select s.* from fan_out f cross join lateral (
        select id, coalesce(network, wallet) as network, filter_agent_pda, event_types, created_at
        from webhook_subscriptions
        where active and deleted_at is null and id > f.after order by id limit ${sql.lit(BATCH)}
      ) s
    ),
    inserted as (${insertDeliveries(sql`
      select webhook.id as subscription_id, webhook.network, event.id as event_id, event.type as event_type
      from fan_out f cross join event join webhooks webhook on webhook.created_at <= f.started_at and ${MATCHES}
      order by webhook.id`)}),
    moved as (
      update webhook_fan_outs f set after = (select max(id) from webhooks)
      where f.event_id in (select event_id from fan_out) and (select count(*) from webhooks) = ${sql.lit(BATCH)}
      returning true
    ),
    finished as (
      delete from webhook_fan_outs f
      where f.event_id in (select event_id from fan_out) and (select count(*) from webhooks) < ${sql.lit(BATCH)}
        -- With started_at: the indexer may begin a new fan-out now, for an event that came back.
        or (f.event_id, f.started_at) in (select event_id, started_at from oldest) and not exists (select from event)
      returning true
    )
    select exists (select from moved) or exists (select from finished) as found`.execute(db)
  return rows[0]?.found === true
}
