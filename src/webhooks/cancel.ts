import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { OpenStatus } from '../domain/webhook-delivery.ts'

/** At most so many in a statement. Workers cancel the others within seconds, and send none. */
const MAX_CANCELLED = 5_000

const WAITING = ['pending', 'retrying'] as const
const OPEN = [...WAITING, 'in_flight'] as const

const oneOf = (statuses: readonly OpenStatus[]) => sql`(${sql.join(statuses.map((each) => sql.lit(each)))})`

/**
 * Cancels those of these deliveries that have one of the statuses. Those in flight are cancelled
 * when their attempts end, because limits count them until then. The ids are an array: for a join
 * with old statistics, PostgreSQL can read the queue once for each delivery. Returns how many.
 */
async function cancel(
  db: Kysely<Database>,
  ids: RawBuilder<unknown>,
  statuses: readonly OpenStatus[],
  lock: RawBuilder<unknown>,
): Promise<number> {
  const { numAffectedRows } = await sql`
    update webhook_deliveries d set
      cancel_requested = d.status = 'in_flight',
      status = case d.status when 'in_flight' then 'in_flight' else 'cancelled' end,
      next_attempt_at = null,
      completed_at = case when d.status <> 'in_flight' then now() end
    where id in (
      select id from webhook_deliveries
      where id = any(array(${ids})) and status in ${oneOf(statuses)} and not cancel_requested
      ${lock})`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Locked rows are left: they are in flight, or another transaction changes them. */
const cancelWaitingOf = (db: Kysely<Database>, ids: RawBuilder<unknown>): Promise<number> =>
  cancel(db, sql`${ids} limit ${sql.lit(MAX_CANCELLED)}`, WAITING, sql`for update skip locked`)

/** Cancels what waits when a webhook is disabled or deleted. Attempts in flight continue. */
export const cancelWaiting = (db: Kysely<Database>, subscriptionId: string): Promise<number> =>
  cancelWaitingOf(db, queued(subscriptionId, WAITING))

/** Cancels one batch of waiting deliveries of inactive or deleted webhooks. Returns how many. */
export const cancelForInactiveWebhooks = (db: Kysely<Database>): Promise<number> =>
  cancelWaitingOf(
    db,
    sql`select q.delivery_id from webhook_queue q join webhook_subscriptions s on s.id = q.subscription_id
      where q.status in ${oneOf(WAITING)} and (not s.active or s.deleted_at is not null)`,
  )

/**
 * Cancels all deliveries of a webhook, before its URL changes in the same transaction. Locks
 * deliveries before the webhook and in order, as settlements do. Returns how many it cancelled.
 */
export const cancelUnfinished = (
  db: Kysely<Database>,
  subscriptionId: string,
  limit: number | null = null,
): Promise<number> =>
  cancel(db, sql`${queued(subscriptionId, OPEN)} limit ${limit}::bigint`, OPEN, sql`order by id for update`)

/**
 * Cancels as `cancelUnfinished` in short transactions, until less than half of a batch was waiting.
 * The others of the last batch are attempts in flight, which may be cancelled already.
 */
export async function cancelBacklog(db: Kysely<Database>, subscriptionId: string): Promise<void> {
  while ((await cancelUnfinished(db, subscriptionId, MAX_CANCELLED)) > MAX_CANCELLED / 2);
}

/** The deliveries of a webhook that have one of the statuses. Old rows have no network, but '-'. */
const queued = (subscriptionId: string, statuses: readonly OpenStatus[]) => sql`
  select q.delivery_id from webhook_subscriptions s join webhook_queue q
    on q.subscription_id = s.id and q.network in (coalesce(s.network, s.wallet), '-')
  where s.id = ${subscriptionId} and q.status in ${oneOf(statuses)}`
