import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { DomainError } from '../../domain/errors.ts'
import { optional } from '../../domain/parameters.ts'
import { quoted } from '../../domain/quoted.ts'
import type { Clock } from '../../platform/clock.ts'
import { type Caller, chargeSends } from './charge-sends.ts'
import { deleteHiddenAttempts } from './delivery-record.ts'
import { notifyWorkers } from './notify-workers.ts'

export interface RecoverInput {
  /** Required: ISO 8601 with a time zone. */
  readonly since?: string | null
  /** The current time by default. At most 14 days after `since`. */
  readonly until?: string | null
}

export interface RecoverResult {
  readonly recovered: number
  /** True if more matched than the maximum of a call (10,000) or the rate limit: call again. */
  readonly more: boolean
}

export const MAX_DAYS = 14
export const MAX_RECOVERED = 10_000
const DAY_MS = 86_400_000
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

/**
 * Sends failed and cancelled deliveries again, if their event was enqueued between two times,
 * oldest first, as many as the rate limit has left. Each keeps its place in the retry schedule, so
 * one that had all its attempts gets one more. They use the retry lane, so new events are not
 * delayed. Throws INVALID_TEXT, INVALID_RANGE, RECOVERY_TOO_LONG, WEBHOOK_INACTIVE, RATE_LIMITED.
 */
export async function recoverDeliveries(
  subscriptionId: string,
  caller: Caller,
  input: RecoverInput,
  { kysely, clock, sendLimit }: { kysely: Kysely<Database>; clock: Clock; sendLimit: number | null },
): Promise<RecoverResult> {
  const { since, until } = readPeriod(input, clock)
  return kysely.transaction().execute(async (db) => {
    const sendable = await sql`
      select from webhook_subscriptions
      where id = ${subscriptionId} and active and deleted_at is null for key share`.execute(db)
    if (sendable.rows.length === 0) throw new DomainError('WEBHOOK_INACTIVE')
    const max = Math.min(MAX_RECOVERED, sendLimit ?? MAX_RECOVERED)
    const { rows } = await sql<{ id: string }>`
      select d.id from webhook_deliveries d
      left join outbox_events o on o.id = d.event_id
      where d.subscription_id = ${subscriptionId} and d.status in ('failed', 'cancelled')
        and d.created_at between ${since} and ${until} and o.cancelled_at is null
      order by d.created_at, d.id limit ${max + 1} for update of d`.execute(db)
    if (rows.length === 0) return { recovered: 0, more: false }
    const recovered = await chargeSends(db, caller, Math.min(rows.length, max), sendLimit)
    const ids = rows.slice(0, recovered).map(({ id }) => id)
    await sql`
      update webhook_deliveries set status = 'retrying', trigger = 'recover', claim_count = 0,
        next_attempt_at = clock_timestamp(), completed_at = null
      where id = any(${ids}::text[])`.execute(db)
    await deleteHiddenAttempts(db, ids)
    await notifyWorkers(db)
    return { recovered, more: rows.length > recovered }
  })
}

function readPeriod(input: RecoverInput, clock: Clock): { since: Date; until: Date } {
  const since = timeParameter('since', input.since)
  const until = optional(timeParameter, 'until', input.until) ?? new Date(clock.now())
  if (since > until) {
    const [lowValue, highValue] = [since.toISOString(), until.toISOString()]
    throw new DomainError('INVALID_RANGE', { low: 'since', high: 'until', lowValue, highValue })
  }
  const days = (until.getTime() - since.getTime()) / DAY_MS
  if (days > MAX_DAYS) throw new DomainError('RECOVERY_TOO_LONG', { max: MAX_DAYS, given: Math.ceil(days) })
  return { since, until }
}

function timeParameter(parameter: string, value: unknown): Date {
  const time = new Date(typeof value === 'string' && ISO_TIME.test(value) ? value : Number.NaN)
  if (!Number.isNaN(time.getTime())) return time
  const problem = 'must be an ISO 8601 time with a time zone, for example 2026-11-21T06:00:00Z'
  throw new DomainError('INVALID_TEXT', { parameter, problem, value: quoted(value) })
}
