import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/** Log and attempts are kept this long. */
export const RETENTION_DAYS = 30
const BATCH = 5_000

/**
 * Withdraws what still waits for webhooks that are off or deleted, at most one batch; returns how many. Rows that somebody
 * holds are left for the next time, so that this never waits.
 */
export async function cancelUnwanted(db: Kysely<Database>): Promise<number> {
  const { numAffectedRows } = await sql`
    update webhook_deliveries set status = 'cancelled', next_attempt_at = null, completed_at = now()
    where id in (
      select d.id from webhook_subscriptions s
      join webhook_deliveries d on d.subscription_id = s.id and d.status in ('pending', 'retrying')
      where not s.active or s.deleted_at is not null
      limit ${sql.lit(BATCH)} for update of d skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Removes one batch of each kind that is older than the retention; returns how many rows went. */
export async function removeOld(db: Kysely<Database>): Promise<number> {
  const age = sql`now() - ${sql.lit(RETENTION_DAYS)} * interval '1 day'`
  const attempts = await sql`
    delete from webhook_attempts where ctid in (
      select ctid from webhook_attempts where started_at < ${age} limit ${sql.lit(BATCH)})`.execute(db)
  const deliveries = await sql`
    delete from webhook_deliveries where ctid in (
      select ctid from webhook_deliveries where created_at < ${age} and completed_at < ${age}
      limit ${sql.lit(BATCH)} for update skip locked)`.execute(db)
  const subscriptions = await sql`
    delete from webhook_subscriptions s where deleted_at < ${age}
      and not exists (select from webhook_deliveries d where d.subscription_id = s.id)`.execute(db)
  return [attempts, deliveries, subscriptions].reduce(
    (sum, each) => sum + Number(each.numAffectedRows ?? 0),
    0,
  )
}
