import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import { LAST_STEP } from '../worker/retry-schedule.ts'
import { type Caller, chargeSends } from './charge-sends.ts'
import { type DeliveryRecord, readDelivery } from './delivery-record.ts'
import { notifyWorkers } from './notify-workers.ts'

/** The event type of a ping. Webhooks cannot subscribe to it. */
const PING = 'ping'
/** The newest pings of a webhook that are stored, also while they wait. */
export const MAX_PINGS = 50

/**
 * Enqueues a test event. It is signed, sent and logged like any event, but has one attempt. `pda`
 * is the webhook's agent filter or null, `slot` the newest indexed slot. Throws WEBHOOK_INACTIVE
 * and RATE_LIMITED.
 */
export async function pingWebhook(
  subscriptionId: string,
  caller: Caller,
  {
    kysely,
    clock,
    newId,
    sendLimit,
  }: { kysely: Kysely<Database>; clock: Clock; newId: () => string; sendLimit: number | null },
): Promise<DeliveryRecord> {
  return kysely.transaction().execute(async (db) => {
    const { rows } = await sql<{ filter_agent_pda: string | null; network: string; slot: number | null }>`
      select s.filter_agent_pda, coalesce(s.network, s.wallet) as network, (select cursor_slot from indexer_state) as slot from webhook_subscriptions s
      where s.id = ${subscriptionId} and s.active and s.deleted_at is null for key share of s`.execute(db)
    const [webhook] = rows
    if (webhook === undefined) throw new DomainError('WEBHOOK_INACTIVE')
    await chargeSends(db, caller, 1, sendLimit)
    const eventId = `ping_${newId()}`
    const body = JSON.stringify({
      id: eventId,
      type: PING,
      pda: webhook.filter_agent_pda,
      slot: webhook.slot ?? 0,
      timestamp: new Date(clock.now()).toISOString(),
      data: { webhookId: subscriptionId },
    })
    const { id } = await db
      .insertInto('webhook_deliveries')
      .values({
        subscription_id: subscriptionId,
        network: webhook.network,
        event_id: eventId,
        event_type: PING,
        trigger: 'ping',
        retry_step: LAST_STEP,
        body,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await deleteOldPings(db, subscriptionId)
    await notifyWorkers(db)
    return readDelivery(db, subscriptionId, id)
  })
}

/** Skips locked rows, so that it never waits: the next ping deletes them. */
async function deleteOldPings(db: Kysely<Database>, subscriptionId: string): Promise<void> {
  await sql`
    with deleted as (
      delete from webhook_deliveries where id in (
        select id from webhook_deliveries where id = any(array(
            select id from webhook_deliveries
            where subscription_id = ${subscriptionId} and event_type = ${sql.lit(PING)}
            order by created_at desc offset ${sql.lit(MAX_PINGS)}))
          and status <> 'in_flight'
        for update skip locked)
      returning id
    )
    delete from webhook_attempts where delivery_id in (select id from deleted)`.execute(db)
}
