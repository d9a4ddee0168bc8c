import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { AttemptOutcome, DisabledReason } from '../domain/webhook-delivery.ts'
import type { Logger } from '../platform/logger.ts'
import { createFailureLog } from '../platform/process/failure-log.ts'
import { FAST_MS, retryDelay } from './limits.ts'
import type { ClaimedDelivery } from './queue.ts'
import type { AttemptResult } from './send.ts'

type AttemptRow = Omit<Selectable<Database['webhook_attempts']>, 'id' | 'delivery_id' | 'next_attempt_at'>

/** The outcome of a claim, as an attempt and its effects. */
export interface Settlement extends AttemptRow {
  readonly id: string
  readonly token: string
  readonly outcome: Exclude<AttemptOutcome, 'stale'>
  /** Delay before the next attempt. Null after the last one. */
  readonly retry_ms: number | null
  /** The receiver's Retry-After. */
  readonly pause_ms: number | null
  /** True if no connection or no response in time: the breaker counts it. */
  readonly unreachable: boolean
  /** For the average of the endpoint: the whole deadline if there was no response. */
  readonly response_ms: number
  readonly probe: boolean
}

/** Errors that mean that the receiver could not be reached. Only these open the breaker. */
const UNREACHABLE = new Set<unknown>(['timeout', 'dns_error', 'connect_error', 'tls_error'])

/** `startedAt` is in milliseconds since the epoch. `deadlineMs` is that of a whole attempt. */
export function settlementOf(
  claim: ClaimedDelivery & { probe?: boolean },
  result: Omit<AttemptResult, 'outcome'> & Pick<Settlement, 'outcome'>,
  { startedAt, random, deadlineMs }: { startedAt: number; random: () => number; deadlineMs: number },
): Settlement {
  const { outcome, status, errorCode, excerpt, signatures = null, retryAfterMs } = result
  const mayRetry = outcome === 'failure' || outcome === 'lost'
  const durationMs = Math.round(result.durationMs)
  return {
    id: claim.id,
    token: claim.token,
    number: claim.attempt_count + 1,
    trigger: claim.trigger,
    outcome,
    started_at: new Date(startedAt).toISOString(),
    duration_ms: durationMs,
    response_status: status ?? null,
    error_code: errorCode ?? null,
    // PostgreSQL text cannot contain NUL or lone surrogates.
    response_excerpt: excerpt?.toWellFormed().replaceAll('\0', '\u{fffd}') ?? null,
    signatures,
    retry_ms: mayRetry ? retryDelay(claim.retry_step, result, random) : null,
    pause_ms: retryAfterMs === undefined ? null : Math.round(retryAfterMs),
    unreachable: UNREACHABLE.has(errorCode),
    response_ms: status === undefined ? deadlineMs : durationMs,
    probe: claim.probe ?? false,
  }
}

export interface SettleResult {
  /** Attempts whose lease had expired. They are logged and have no other effect. */
  readonly stale: number
  readonly breakersOpened: number
  /** Webhooks that were disabled. */
  readonly disabled: readonly { id: string; reason: DisabledReason }[]
}

export const BREAKER_FAILURES = 5
/** Weight of one attempt in the moving average of an endpoint's response times. */
const WEIGHT = 0.2
const FIRST_PAUSE_SECONDS = 30
const MAX_PAUSE_SECONDS = 15 * 60
/** A webhook is disabled after only failures for this time. */
export const FAILING_DAYS = 5

const COLUMNS =
  sql.raw(`id text, token text, number integer, trigger text, outcome text, started_at timestamptz,
  duration_ms integer, response_status integer, error_code text, response_excerpt text,
  signatures text, retry_ms float8, pause_ms float8, unreachable boolean, response_ms float8, probe boolean`)

/** The settlements whose lease is valid, with the next status of their delivery. */
const VALID = sql`
  select r.*, l.subscription_id, l.cancel_requested, case
      when r.outcome = 'success' then 'success'
      when l.cancel_requested then 'cancelled'
      when r.outcome = 'gone' or r.retry_ms is null then 'failed'
      when not s.active or s.deleted_at is not null or o.cancelled_at is not null then 'cancelled'
      else 'retrying'
    end as status
  from locked l
  join settlements r on r.id = l.id and r.token = l.lease_token
  join webhook_subscriptions s on s.id = l.subscription_id
  left join outbox_events o on o.id = l.event_id`

const UPDATE_DELIVERIES = sql`
  update webhook_deliveries d set
    status = v.status,
    trigger = case v.status when 'retrying' then 'retry' else d.trigger end,
    attempt_count = v.number,
    retry_step = case v.outcome when 'success' then d.retry_step else d.retry_step + 1 end,
    claim_count = 0, lease_token = null, lease_until = null, cancel_requested = false,
    next_attempt_at = case v.status when 'retrying' then now() + v.retry_ms * interval '1 ms' end,
    completed_at = case when v.status <> 'retrying' then now() end
  from valid v where d.id = v.id
  returning d.id, v.token, d.next_attempt_at`

const LOG_ATTEMPTS = sql`
  insert into webhook_attempts (delivery_id, number, trigger, outcome, started_at, duration_ms, response_status,
    error_code, response_excerpt, signatures, next_attempt_at)
  select r.id, r.number, r.trigger, case when d.id is null then 'stale' else r.outcome end, r.started_at,
    r.duration_ms, r.response_status, r.error_code, r.response_excerpt, r.signatures, d.next_attempt_at
  from settlements r left join settled d on d.id = r.id and d.token = r.token
  returning outcome`

/** What the valid settlements say about each webhook. */
const OUTCOMES = sql`
  select subscription_id,
    bool_or(outcome = 'success') as succeeded,
    bool_or(outcome = 'gone') as gone,
    bool_or(outcome <> 'lost' and not unreachable) as reached,
    bool_or(probe) as probed,
    count(*) filter (where unreachable)::integer as unreachable,
    max(pause_ms) * interval '1 ms' as pause,
    avg(response_ms) as response_ms,
    power(${sql.lit(1 - WEIGHT)}, count(*)) as old_weight
  from valid where outcome <> 'lost' and not cancel_requested group by subscription_id`

/** Locks the webhooks whose health changes: not those that are healthy, fast and stay so. */
const UNHEALTHY = sql`
  select s.id from webhook_subscriptions s join outcomes o on o.subscription_id = s.id
  where not o.succeeded or s.failing_since is not null or s.connect_failures > 0 or s.paused_until is not null
    or s.response_ms is null or greatest(s.response_ms, o.response_ms) >= ${sql.lit(FAST_MS / 2)}
  order by s.id for no key update of s`

/** Whether the breaker of each of them opens, and whether the service disables it. */
const DECISIONS = sql`
  select o.*, not o.reached and s.connect_failures + o.unreachable >= ${sql.lit(BREAKER_FAILURES)}
    and (o.probed or s.paused_until is null) as opens,
    s.active and s.deleted_at is null and (o.gone or not o.succeeded
      and coalesce(s.failing_since <= now() - ${sql.lit(FAILING_DAYS)} * interval '1 day', false)) as disables
  from outcomes o join webhook_subscriptions s on s.id = o.subscription_id
  where s.id in (select id from unhealthy)`

const UPDATE_HEALTH = sql`
  update webhook_subscriptions s set
    failing_since = case when b.succeeded then null else coalesce(s.failing_since, now()) end,
    last_failure_at = case when b.succeeded then s.last_failure_at else now() end,
    connect_failures = case when b.reached then 0 else s.connect_failures + b.unreachable end,
    breaker_opens = case when b.reached then 0 else s.breaker_opens + b.opens::integer end,
    paused_until = case
      when b.pause is not null then now() + b.pause
      when b.reached then null
      when b.opens then now() + least(${sql.lit(FIRST_PAUSE_SECONDS)} * power(2, least(s.breaker_opens, 10)),
        ${sql.lit(MAX_PAUSE_SECONDS)}) * interval '1 s'
      else s.paused_until
    end,
    response_ms = coalesce(s.response_ms * b.old_weight + b.response_ms * (1 - b.old_weight), b.response_ms),
    active = s.active and not b.disables,
    disabled_at = case when b.disables then now() else s.disabled_at end,
    disabled_reason = case when not b.disables then s.disabled_reason when b.gone then 'gone' else 'failing' end,
    updated_at = case when b.disables then now() else s.updated_at end
  from decisions b where s.id = b.subscription_id
  returning s.id, s.disabled_reason as reason, b.disables`

/**
 * Writes deliveries, attempts and endpoint health in one statement, and so in one transaction. An
 * outcome whose lease token is no longer valid is logged as a stale attempt and changes nothing
 * else.
 */
export async function settle(db: Kysely<Database>, settlements: readonly Settlement[]) {
  const { rows } = await sql<{ result: SettleResult }>`
    with settlements as materialized (
      select * from json_to_recordset(${JSON.stringify(settlements)}::json) as s(${COLUMNS})
    ),
    locked as materialized (
      select d.id, d.lease_token, d.subscription_id, d.event_id, d.cancel_requested from webhook_deliveries d
      where d.id = any(${settlements.map(({ id }) => id)}) and d.status = 'in_flight'
        and exists (select from settlements r where r.id = d.id and r.token = d.lease_token)
      order by d.id for update of d
    ),
    valid as materialized (${VALID}),
    settled as (${UPDATE_DELIVERIES}),
    logged as (${LOG_ATTEMPTS}),
    outcomes as materialized (${OUTCOMES}),
    unhealthy as materialized (${UNHEALTHY}),
    decisions as materialized (${DECISIONS}),
    updated as (${UPDATE_HEALTH})
    select json_build_object(
      'stale', (select count(*) from logged where outcome = 'stale'),
      'breakersOpened', (select count(*) from decisions where opens),
      'disabled', (select coalesce(json_agg(json_build_object('id', id, 'reason', reason)), '[]') from updated where disables)
    ) as result`.execute(db)
  return rows[0]!.result
}

const MAX_BATCH = 128
const RETRY_MS = 200
/** SQLSTATE classes of errors that one row causes. All other errors are retried. */
const DATA_ERROR = /^(22|23)/

export type Settlements = ReturnType<typeof createSettlements>

/** Writes settlements in batches: those that arrive during one statement share the next. */
export function createSettlements(options: {
  kysely: Kysely<Database>
  logger: Pick<Logger, 'warn' | 'error'>
  giveUp: AbortSignal
  onSettled: (result: SettleResult) => void
}) {
  const { kysely, logger, giveUp, onSettled } = options
  const waiting: { settlement: Settlement; done: PromiseWithResolvers<void> }[] = []
  const failures = createFailureLog(logger, 'writing delivery outcomes failed, retrying')
  let writing = false

  const write = async (batch: typeof waiting): Promise<void> => {
    const settlements = batch.map(({ settlement }) => settlement)
    try {
      onSettled(await settle(kysely, settlements))
      failures.clear()
      for (const { done } of batch) done.resolve()
    } catch (err) {
      const isDataError = DATA_ERROR.test(String((err as { code?: unknown }).code))
      if (!giveUp.aborted && !isDataError) {
        failures.report(err)
        await delay(RETRY_MS)
        await write(batch)
      } else if (!giveUp.aborted && batch.length > 1) {
        for (const each of batch) await write([each])
      } else {
        for (const { done } of batch) done.reject(err)
      }
    }
  }

  const writeAll = async (): Promise<void> => {
    writing = true
    while (waiting.length > 0) await write(waiting.splice(0, MAX_BATCH))
    writing = false
  }

  return {
    /** Resolves after the commit. Retries while the database is down, until `giveUp` is aborted. */
    add: (settlement: Settlement): Promise<void> => {
      const done = Promise.withResolvers<void>()
      waiting.push({ settlement, done })
      if (!writing) void writeAll()
      return done.promise
    },
  }
}
