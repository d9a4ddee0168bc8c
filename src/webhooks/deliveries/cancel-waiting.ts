import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/** As many as a request may wait for; workers withdraw the rest within seconds, and send none of it meanwhile. */
const AT_ONCE = 5_000

/**
 * Withdraws what waits for a webhook: to be called in the transaction that switches it off or deletes it. Never waits for a row
 * that a worker holds; what is under way ends by itself. Returns how many.
 */
export async function cancelWaiting(db: Kysely<Database>, subscriptionId: string): Promise<number> {
  const { numAffectedRows } = await sql`
    update webhook_deliveries set status = 'cancelled', next_attempt_at = null, completed_at = now()
    where id in (
      select id from webhook_deliveries
      where subscription_id = ${subscriptionId} and status in ('pending', 'retrying')
      limit ${sql.lit(AT_ONCE)} for update skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** What to set when the owner switches a webhook on again or gives it another URL: it starts with a clean record. */
export const HEALTHY = {
  disabled_at: null,
  disabled_reason: null,
  failing_since: null,
  last_failure_at: null,
  connect_failures: 0,
  breaker_opens: 0,
  paused_until: null,
} as const
