import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { AttemptOutcome, DeliveryTrigger } from '../../domain/webhook-delivery.ts'

/** What came of a claim. */
export interface Settlement {
  readonly id: string
  readonly token: string
  /** From 1. */
  readonly number: number
  readonly trigger: DeliveryTrigger
  readonly outcome: Extract<AttemptOutcome, 'success' | 'failure' | 'gone' | 'lost'>
  /** ISO 8601. */
  readonly started_at: string
  readonly duration_ms: number
  readonly response_status: number | null
  readonly error_code: string | null
  readonly response_excerpt: string | null
  /** When to try again; null when that was the last attempt. */
  readonly retry_ms: number | null
  /** How long the receiver asked to be left alone. */
  readonly pause_ms: number | null
  /** Nobody answered. */
  readonly nobody: boolean
  readonly probe: boolean
}

export interface Settled {
  /** Attempts whose lease was lost: on record, and without any effect. */
  readonly stale: number
  readonly breakersOpened: number
  /** Webhooks that were switched off. */
  readonly disabled: readonly { id: string; reason: string }[]
}

const BREAKER_FAILURES = 5
const FIRST_PAUSE_SECONDS = 30
const LONGEST_PAUSE_SECONDS = 15 * 60
/** Only failures for so long, and at least two of them this far apart (the second follows from the first). */
const FAILING_DAYS = 5

const COLUMNS =
  sql.raw(`id text, token text, number integer, trigger text, outcome text, started_at timestamptz,
  duration_ms integer, response_status integer, error_code text, response_excerpt text, retry_ms float8, pause_ms float8,
  nobody boolean, probe boolean`)

/**
 * Writes outcomes, attempts and the endpoints' health in one statement, and so in one transaction. An outcome counts only for who
 * holds the lease; otherwise its attempt is recorded as stale and nothing else changes.
 */
export async function settle(db: Kysely<Database>, settlements: readonly Settlement[]): Promise<Settled> {
  if (settlements.length === 0) return { stale: 0, breakersOpened: 0, disabled: [] }
  const { rows } = await sql<{
    stale: number
    opened: number
    disabled: { id: string; reason: string }[] | null
  }>`
    with r as materialized (
      select * from json_to_recordset(${JSON.stringify(settlements)}::json) as r(${COLUMNS})
    ),
    held as materialized (
      select d.id, d.lease_token, d.subscription_id, d.event_id from webhook_deliveries d
      where d.id = any(${settlements.map(({ id }) => id)}) and d.status = 'in_flight'
        and exists (select from r where r.id = d.id and r.token = d.lease_token)
      order by d.id for update of d
    ),
    judged as materialized (
      select r.*, h.subscription_id, case
          when r.outcome = 'success' then 'success'
          when r.outcome = 'gone' or r.retry_ms is null then 'failed'
          when not s.active or s.deleted_at is not null or o.cancelled_at is not null then 'cancelled'
          else 'retrying'
        end as status
      from held h
      join r on r.id = h.id and r.token = h.lease_token
      join webhook_subscriptions s on s.id = h.subscription_id
      left join outbox_events o on o.id = h.event_id
    ),
    settled as (
      update webhook_deliveries d set
        status = j.status,
        trigger = case j.status when 'retrying' then 'retry' else d.trigger end,
        attempt_count = j.number,
        retry_step = case j.outcome when 'success' then d.retry_step else d.retry_step + 1 end,
        claim_count = 0, lease_token = null, lease_until = null,
        next_attempt_at = case j.status when 'retrying' then now() + j.retry_ms * interval '1 ms' end,
        completed_at = case when j.status <> 'retrying' then now() end
      from judged j where d.id = j.id
      returning d.id, j.token, d.next_attempt_at
    ),
    attempted as (
      insert into webhook_attempts (delivery_id, number, trigger, outcome, started_at, duration_ms, response_status,
        error_code, response_excerpt, next_attempt_at)
      select r.id, r.number, r.trigger, case when s.id is null then 'stale' else r.outcome end, r.started_at,
        r.duration_ms, r.response_status, r.error_code, r.response_excerpt, s.next_attempt_at
      from r left join settled s on s.id = r.id and s.token = r.token
    ),
    heard as materialized (
      select subscription_id,
        bool_or(outcome = 'success') as ok,
        bool_or(outcome = 'gone') as gone,
        bool_or(outcome <> 'lost' and not nobody) as answered,
        bool_or(probe) as probed,
        count(*) filter (where nobody)::integer as nobody,
        max(pause_ms) * interval '1 ms' as pause
      from judged where outcome <> 'lost' group by subscription_id
    ),
    concerned as materialized (
      select s.id from webhook_subscriptions s join heard h on h.subscription_id = s.id
      where not h.ok or s.failing_since is not null or s.connect_failures > 0 or s.paused_until is not null
      order by s.id for no key update of s
    ),
    judgement as materialized (
      select h.*, not h.answered and s.connect_failures + h.nobody >= ${sql.lit(BREAKER_FAILURES)}
        and (h.probed or s.paused_until is null) as opens,
        s.active and s.deleted_at is null and (h.gone
          or not h.ok and coalesce(s.failing_since <= now() - ${sql.lit(FAILING_DAYS)} * interval '1 day', false)) as disables
      from heard h join webhook_subscriptions s on s.id = h.subscription_id
      where s.id in (select id from concerned)
    ),
    health as (
      update webhook_subscriptions s set
        failing_since = case when h.ok then null else coalesce(s.failing_since, now()) end,
        last_failure_at = case when h.ok then s.last_failure_at else now() end,
        connect_failures = case when h.answered then 0 else s.connect_failures + h.nobody end,
        breaker_opens = case when h.answered then 0 else s.breaker_opens + h.opens::integer end,
        paused_until = case
          when h.pause is not null then now() + h.pause
          when h.answered then null
          when h.opens then now() + least(${sql.lit(FIRST_PAUSE_SECONDS)} * power(2, least(s.breaker_opens, 10)),
            ${sql.lit(LONGEST_PAUSE_SECONDS)}) * interval '1 s'
          else s.paused_until
        end,
        active = s.active and not h.disables,
        disabled_at = case when h.disables then now() else s.disabled_at end,
        disabled_reason = case when not h.disables then s.disabled_reason when h.gone then 'gone' else 'failing' end,
        updated_at = case when h.disables then now() else s.updated_at end
      from judgement h where s.id = h.subscription_id
      returning s.id, s.disabled_reason as reason, h.disables
    )
    select
      (select count(*)::integer from r left join settled s on s.id = r.id and s.token = r.token where s.id is null) as stale,
      (select count(*)::integer from judgement where opens) as opened,
      (select json_agg(json_build_object('id', id, 'reason', reason)) from health where disables) as disabled`.execute(
    db,
  )
  const { stale = 0, opened = 0, disabled } = rows[0] ?? {}
  return { stale, breakersOpened: opened, disabled: disabled ?? [] }
}
