import { type Kysely, sql } from 'kysely'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../db/database.ts'
import { DomainError } from '../../domain/errors.ts'
import { announceDeliveries } from './announce.ts'
import { deliveryColumns, type DeliveryRecord } from './delivery-record.ts'

/** The type of a ping. It is not among the 14 that can be subscribed to; a webhook gets it only when its owner asks. */
export const PING = 'ping'

/**
 * Enqueues a ping: signed, sent, retried and logged like an event. Its body has the fields of one: `type` is `ping`, `pda` the
 * webhook's agent filter or null, `slot` the newest slot read, `data` holds `webhookId`. Error: WEBHOOK_INACTIVE.
 */
export async function pingWebhook(
  { kysely, clock, newId }: { kysely: Kysely<Database>; clock: Clock; newId: () => string },
  subscriptionId: string,
): Promise<DeliveryRecord> {
  return kysely.transaction().execute(async (db) => {
    const { rows } = await sql<{ filter_agent_pda: string | null; slot: number | null }>`
      select s.filter_agent_pda, (select cursor_slot from indexer_state) as slot from webhook_subscriptions s
      where s.id = ${subscriptionId} and s.active and s.deleted_at is null for key share of s`.execute(db)
    const [webhook] = rows
    if (webhook === undefined) throw new DomainError('WEBHOOK_INACTIVE')
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
        event_id: eventId,
        event_type: PING,
        trigger: 'ping',
        body,
        next_attempt_at: sql`now()`,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await announceDeliveries(db)
    const record = await sql<DeliveryRecord>`
      select ${deliveryColumns} from webhook_deliveries d where d.id = ${id}`.execute(db)
    return record.rows[0]!
  })
}
