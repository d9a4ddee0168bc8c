import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { AttemptOutcome, DeliveryStatus, DeliveryTrigger } from '../../domain/webhook-delivery.ts'

/** One request to the receiver. Times are ISO 8601 in UTC with milliseconds. */
export interface AttemptRecord {
  /** Starts at 1. */
  readonly number: number
  readonly trigger: DeliveryTrigger
  readonly outcome: AttemptOutcome
  readonly startedAt: string
  readonly durationMs: number
  /** Null if there was no response. `errorCode` then contains the reason. */
  readonly responseStatus: number | null
  readonly errorCode: string | null
  /** The start of the response body as text, at most 1,000 characters. */
  readonly responseExcerpt: string | null
  readonly nextAttemptAt: string | null
}

export const ATTEMPTS_SHOWN = 20

/** The delivery of one event to one webhook. */
export interface DeliveryRecord {
  readonly id: string
  /** The `id` in the body. It is the same for all attempts and all webhooks. */
  readonly eventId: string
  /** One of the 14 types, or `ping`. */
  readonly eventType: string
  readonly status: DeliveryStatus
  readonly attemptCount: number
  readonly nextAttemptAt: string | null
  readonly createdAt: string
  readonly completedAt: string | null
  /** The last `ATTEMPTS_SHOWN`, newest first. */
  readonly attempts: readonly AttemptRecord[]
}

const iso = (column: string) => sql.raw(`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)

/** The columns of a DeliveryRecord, selected from `webhook_deliveries as d`. */
export const deliveryColumns = sql`
  d.id, d.event_id as "eventId", d.event_type as "eventType", d.status, d.attempt_count as "attemptCount",
  d.next_attempt_at as "nextAttemptAt", d.created_at as "createdAt", d.completed_at as "completedAt",
  coalesce((
    select json_agg(json_build_object(
      'number', a.number, 'trigger', a.trigger, 'outcome', a.outcome, 'startedAt', ${iso('a.started_at')},
      'durationMs', a.duration_ms, 'responseStatus', a.response_status, 'errorCode', a.error_code,
      'responseExcerpt', left(a.response_excerpt, 1000), 'nextAttemptAt', ${iso('a.next_attempt_at')}
    ) order by a.id desc)
    from (select * from webhook_attempts where delivery_id = d.id order by id desc limit ${sql.lit(ATTEMPTS_SHOWN)}) as a
  ), '[]') as attempts`

/** Reads a delivery that exists. */
export async function readDelivery(db: Kysely<Database>, id: string): Promise<DeliveryRecord> {
  const { rows } = await sql<DeliveryRecord>`
    select ${deliveryColumns} from webhook_deliveries d where d.id = ${id}`.execute(db)
  return rows[0]!
}
