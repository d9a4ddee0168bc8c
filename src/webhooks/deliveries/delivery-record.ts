import { sql } from 'kysely'
import type { AttemptOutcome, DeliveryStatus, DeliveryTrigger } from '../../domain/webhook-delivery.ts'

/** One request to the receiver. Times are ISO 8601 in UTC with milliseconds. */
export interface AttemptRecord {
  /** From 1. */
  readonly number: number
  readonly trigger: DeliveryTrigger
  readonly outcome: AttemptOutcome
  readonly startedAt: string
  readonly durationMs: number
  /** Null when there was no answer; then `errorCode` says why. */
  readonly responseStatus: number | null
  readonly errorCode: string | null
  /** The beginning of the answer's body as text, at most 1,000 characters. */
  readonly responseExcerpt: string | null
  readonly nextAttemptAt: string | null
}

export const ATTEMPTS_SHOWN = 20

/** One event on its way to one webhook. */
export interface DeliveryRecord {
  readonly id: string
  /** The `id` of the body: the same for every attempt and every webhook. */
  readonly eventId: string
  /** One of the 14 types, or `ping`. */
  readonly eventType: string
  readonly status: DeliveryStatus
  readonly attemptCount: number
  readonly nextAttemptAt: string | null
  readonly createdAt: string
  readonly completedAt: string | null
  /** Newest first, the last `ATTEMPTS_SHOWN`. */
  readonly attempts: readonly AttemptRecord[]
}

const iso = (column: string) => sql.raw(`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)

/** The columns of a DeliveryRecord, of `webhook_deliveries as d`. */
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
