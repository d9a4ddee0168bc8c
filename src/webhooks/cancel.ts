import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { OpenStatus } from '../domain/webhook-delivery.ts'

/**
 * A statement cancels at most this many rows. Workers cancel the rest within seconds and do not
 * send them.
 */
const MAX_CANCELLED = 5_000

/**
 * Cancels those of these deliveries that wait. Locked rows are left: they are in flight, or another
 * transaction changes them. The ids are an array, for the reason at `unfinished`.
 */
async function cancelWaitingOf(db: Kysely<Database>, ids: RawBuilder<unknown>): Promise<number> {
  const { numAffectedRows } = await sql`
    update webhook_deliveries set status = 'cancelled', next_attempt_at = null, completed_at = now()
    where id in (
      select id from webhook_deliveries
      where id = any(array(${ids} limit ${sql.lit(MAX_CANCELLED)})) and status in ('pending', 'retrying')
      for update skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/**
 * Cancels the waiting deliveries of a webhook, in the transaction that disables or deletes it.
 * Attempts in flight continue. Returns how many it cancelled.
 */
export const cancelWaiting = (db: Kysely<Database>, subscriptionId: string): Promise<number> =>
  cancelWaitingOf(db, unfinished(subscriptionId, 'pending', 'retrying'))

/** Cancels one batch of waiting deliveries of inactive or deleted webhooks. Returns how many. */
export const cancelForInactiveWebhooks = (db: Kysely<Database>): Promise<number> =>
  cancelWaitingOf(
    db,
    sql`select q.delivery_id from webhook_queue q join webhook_subscriptions s on s.id = q.subscription_id
      where q.status in ('pending', 'retrying') and (not s.active or s.deleted_at is not null)`,
  )

/**
 * Cancels as `cancelUnfinished` in short transactions, until less than half of a batch was waiting.
 * The others of the last batch are attempts in flight, which may be cancelled already.
 */
export async function cancelBacklog(db: Kysely<Database>, subscriptionId: string): Promise<void> {
  const cancelSome = () =>
    db.transaction().execute((trx) => cancelUnfinished(trx, subscriptionId, MAX_CANCELLED))
  while ((await cancelSome()) > MAX_CANCELLED / 2);
}

/**
 * Cancels the waiting deliveries of a webhook, before its URL changes in the same transaction.
 * Those in flight are cancelled when their attempts end, because limits count them until then.
 * Locks deliveries before the webhook and in order, as settlements do. Returns how many it
 * cancelled.
 */
export async function cancelUnfinished(
  db: Kysely<Database>,
  subscriptionId: string,
  limit: number | null = null,
): Promise<number> {
  const { rows } = await sql<{ cancelled: number }>`
    with changed as (
      update webhook_deliveries d set
        cancel_requested = d.status = 'in_flight',
        status = case d.status when 'in_flight' then 'in_flight' else 'cancelled' end,
        next_attempt_at = null,
        completed_at = case when d.status <> 'in_flight' then now() end
      where id in (
        select id from webhook_deliveries
        where id = any(array(
            ${unfinished(subscriptionId, 'pending', 'retrying', 'in_flight')} limit ${limit}::bigint))
          and status in ('pending', 'retrying', 'in_flight') and not cancel_requested
        order by id for update)
      returning true
    )
    select count(*)::integer as cancelled from changed`.execute(db)
  return rows[0]?.cancelled ?? 0
}

/**
 * The ids of a webhook's deliveries with these statuses. Old rows have no network, but '-'. Use it
 * as an array: for a join with old statistics, PostgreSQL can read the queue once for each
 * delivery.
 */
const unfinished = (subscriptionId: string, ...statuses: OpenStatus[]) => sql`
  select q.delivery_id from webhook_subscriptions s join webhook_queue q
    on q.subscription_id = s.id and q.network in (coalesce(s.network, s.wallet), '-')
  where s.id = ${subscriptionId} and q.status in (${sql.join(statuses.map((status) => sql.lit(status)))})`
