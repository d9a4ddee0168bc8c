import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/**
 * A request cancels at most this many rows. Workers cancel the rest within seconds and do not send
 * them.
 */
const MAX_CANCELLED = 5_000

/**
 * Cancels the waiting deliveries of a webhook, in the transaction that disables or deletes it. It
 * skips locked rows, and attempts in flight continue. Returns how many it cancelled.
 */
export async function cancelWaiting(db: Kysely<Database>, subscriptionId: string): Promise<number> {
  const { numAffectedRows } = await sql`
    update webhook_deliveries set status = 'cancelled', next_attempt_at = null, completed_at = now()
    where id in (
      select d.id from webhook_subscriptions s join webhook_deliveries d
        on d.subscription_id = s.id and d.network in (coalesce(s.network, s.wallet), '-')
      where s.id = ${subscriptionId} and d.status in ('pending', 'retrying')
      limit ${sql.lit(MAX_CANCELLED)} for update of d skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Resets the health of an endpoint, when its owner enables it or changes its URL. */
export const HEALTHY = {
  disabledAt: null,
  disabledReason: null,
  failingSince: null,
  lastFailureAt: null,
  connectFailures: 0,
  breakerOpens: 0,
  pausedUntil: null,
} as const
