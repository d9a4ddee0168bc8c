import { type Kysely, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { insertDeliveries, MATCHES } from '../ledger/indexer/write/deliveries.ts'
import type { WakeUp } from '../platform/async/wake-up.ts'
import type { Logger } from '../platform/logger.ts'
import { createFailureLog } from '../platform/process/failure-log.ts'

/** Webhooks that one statement visits. */
const BATCH = 1_000
const POLL_MS = 1_000

/**
 * Enqueues the deliveries that the indexer left, until it is aborted. Calls `onEnqueued` after each
 * batch.
 */
export async function runFanOut(options: {
  kysely: Kysely<Database>
  logger: Pick<Logger, 'warn'>
  signal: AbortSignal
  wakeUp: WakeUp
  onEnqueued: () => void
}): Promise<void> {
  const { kysely, logger, signal, wakeUp, onEnqueued } = options
  const failures = createFailureLog(logger, 'enqueueing deliveries failed, retrying')
  while (!signal.aborted) {
    try {
      while (!signal.aborted && (await continueFanOut(kysely))) onEnqueued()
      failures.clear()
    } catch (err) {
      if (!signal.aborted) failures.report(err)
    }
    if (!signal.aborted) await wakeUp.sleep(POLL_MS)
  }
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
    -- After the event, in the order in which the indexer locks them.
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
        -- With started_at, because the indexer may start again now for an event that came back.
        or (f.event_id, f.started_at) in (select event_id, started_at from oldest) and not exists (select from event)
      returning true
    )
    select exists (select from moved) or exists (select from finished) as found`.execute(db)
  return rows[0]?.found === true
}
