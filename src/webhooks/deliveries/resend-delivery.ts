import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { DomainError } from '../../domain/errors.ts'
import { isUuid } from '../../domain/uuid.ts'
import { LAST_STEP } from '../worker/retry-schedule.ts'
import { type Caller, chargeSends } from './charge-sends.ts'
import { deleteHiddenAttempts, type DeliveryRecord, readDelivery } from './delivery-record.ts'
import { notifyWorkers } from './notify-workers.ts'

/**
 * Sends a delivery again at once, whatever its status. It keeps its place in the retry schedule, so
 * one that had all its attempts gets one more, and so does one that succeeded. Also ends a pause of
 * the endpoint. A delivery in flight stays as it is. Throws DELIVERY_NOT_FOUND, WEBHOOK_INACTIVE,
 * EVENT_WITHDRAWN, RATE_LIMITED.
 */
export async function resendDelivery(
  subscriptionId: string,
  caller: Caller,
  deliveryId: string,
  { kysely, sendLimit }: { kysely: Kysely<Database>; sendLimit: number | null },
): Promise<DeliveryRecord> {
  if (!isUuid(deliveryId)) throw new DomainError('DELIVERY_NOT_FOUND')
  return kysely.transaction().execute(async (db) => {
    const { rows } = await sql<{ sendable: boolean; withdrawn: boolean }>`
      select s.active and s.deleted_at is null as sendable, o.cancelled_at is not null as withdrawn
      from webhook_deliveries d
      join webhook_subscriptions s on s.id = d.subscription_id
      left join outbox_events o on o.id = d.event_id
      where d.id = ${deliveryId} and d.subscription_id = ${subscriptionId}
      for update of d`.execute(db)
    const [delivery] = rows
    if (delivery === undefined) throw new DomainError('DELIVERY_NOT_FOUND')
    if (!delivery.sendable) throw new DomainError('WEBHOOK_INACTIVE')
    if (delivery.withdrawn) throw new DomainError('EVENT_WITHDRAWN')
    await chargeSends(db, caller, 1, sendLimit)
    await sql`
      update webhook_deliveries set
        status = case when retry_step = 0 and status <> 'success' then 'pending' else 'retrying' end,
        retry_step = case status when 'success' then ${LAST_STEP} else retry_step end,
        trigger = 'resend', claim_count = 0, next_attempt_at = now(), completed_at = null
      where id = ${deliveryId} and status <> 'in_flight'`.execute(db)
    await deleteHiddenAttempts(db, [deliveryId])
    await sql`
      update webhook_subscriptions set paused_until = now()
      where id = ${subscriptionId} and paused_until > now()`.execute(db)
    await notifyWorkers(db)
    return readDelivery(db, subscriptionId, deliveryId)
  })
}
