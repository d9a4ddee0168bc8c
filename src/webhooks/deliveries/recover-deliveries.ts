import { type Kysely, sql } from 'kysely'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../db/database.ts'
import { optional } from '../../domain/parameters.ts'
import { quoted } from '../../domain/quoted.ts'
import { DomainError } from '../../domain/errors.ts'
import { announceDeliveries } from './announce.ts'

export interface RecoverInput {
  /** Required: ISO 8601 with a zone. */
  readonly since?: string | null
  /** Default now. At most 14 days after `since`. */
  readonly until?: string | null
}

export interface RecoverResult {
  readonly recovered: number
  /** Whether there is more than one call takes (10,000): call again. */
  readonly more: boolean
}

const MAX_DAYS = 14
export const MAX_RECOVERED = 10_000
const DAY_MS = 86_400_000
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

function timeParameter(parameter: string, value: unknown): number {
  const time = typeof value === 'string' && ISO_TIME.test(value) ? Date.parse(value) : Number.NaN
  if (!Number.isNaN(time)) return time
  const problem = 'must be an ISO 8601 time with zone, for instance 2026-11-21T06:00:00Z'
  throw new DomainError('INVALID_TEXT', { parameter, problem, value: quoted(value) })
}

/**
 * Sends again what failed or was cancelled, of the events enqueued between two times, the oldest first. They go the way of
 * retries, so that they never delay new events. Errors: INVALID_TEXT, INVALID_RANGE, RECOVERY_TOO_LONG, WEBHOOK_INACTIVE.
 */
export async function recoverDeliveries(
  { kysely, clock }: { kysely: Kysely<Database>; clock: Clock },
  subscriptionId: string,
  input: RecoverInput,
): Promise<RecoverResult> {
  const since = timeParameter('since', input.since)
  const until = optional(timeParameter, 'until', input.until) ?? clock.now()
  if (since > until) {
    const [lowValue, highValue] = [new Date(since).toISOString(), new Date(until).toISOString()]
    throw new DomainError('INVALID_RANGE', { low: 'since', high: 'until', lowValue, highValue })
  }
  if (until - since > MAX_DAYS * DAY_MS) {
    const given = Math.ceil((until - since) / DAY_MS)
    throw new DomainError('RECOVERY_TOO_LONG', { max: MAX_DAYS, given })
  }
  return kysely.transaction().execute(async (db) => {
    const sendable = await sql`
      select from webhook_subscriptions
      where id = ${subscriptionId} and active and deleted_at is null for key share`.execute(db)
    if (sendable.rows.length === 0) throw new DomainError('WEBHOOK_INACTIVE')
    const { rows } = await sql<{ due: number; found: number }>`
      with wanted as materialized (
        select d.id from webhook_deliveries d
        left join outbox_events o on o.id = d.event_id
        where d.subscription_id = ${subscriptionId} and d.status in ('failed', 'cancelled')
          and d.created_at between ${new Date(since)} and ${new Date(until)} and o.cancelled_at is null
        order by d.created_at, d.id limit ${sql.lit(MAX_RECOVERED + 1)} for update of d
      ),
      due as (
        update webhook_deliveries d set status = 'retrying', trigger = 'recover', retry_step = 0, claim_count = 0,
          next_attempt_at = clock_timestamp(), completed_at = null
        where d.id in (select id from wanted limit ${sql.lit(MAX_RECOVERED)})
        returning true
      )
      select (select count(*)::integer from due) as due, (select count(*)::integer from wanted) as found`.execute(
      db,
    )
    const { due = 0, found = 0 } = rows[0] ?? {}
    if (due > 0) await announceDeliveries(db)
    return { recovered: due, more: found > due }
  })
}
