import { type RawBuilder, sql } from 'kysely'
import type { Clock } from '../platform/clock.ts'
import { settlementOf } from './attempt.ts'
import type { WorkerLimits } from './limits.ts'
import type { Settlement } from './settle.ts'
import type { WorkerConnection } from './worker-connection.ts'
import type { Claim, ClaimedDelivery } from './worker/claim.ts'

const MAX_RECLAIMS = 500
/** A delivery whose workers keep crashing may cause the crashes. Each claim adds this delay. */
const DELAY_SECONDS = 5

/**
 * Makes deliveries with an expired lease due again. A delivery that was claimed `maxClaims` times
 * without an outcome is returned as a failed attempt, so that it reaches an end.
 */
export async function reclaim(
  connection: WorkerConnection,
  { limits, clock, random }: { limits: WorkerLimits; clock: Clock; random: () => number },
): Promise<{ reclaimed: number; lost: Settlement[] }> {
  const [row] = await connection.query<{ reclaimed: number; lost: ClaimedDelivery[] | null }>(
    'reclaim',
    sql`
    with expired as (
      select d.id, d.claim_count
      from (
        select delivery_id from webhook_queue where status = 'in_flight' and due_at < now()
        order by due_at limit ${sql.lit(MAX_RECLAIMS)}
      ) q
      cross join lateral (
        select id, claim_count from webhook_deliveries
        where id = q.delivery_id and status = 'in_flight' and lease_until < now() limit 1 for update skip locked
      ) d
    ),
    reclaimed as (
      update webhook_deliveries d set
        ${unlessCancelled(sql`now() + (d.claim_count - 1) * ${sql.lit(DELAY_SECONDS)} * interval '1 s'`)}
      from expired e where e.id = d.id and e.claim_count < ${limits.maxClaims}::integer
      returning d.id
    ),
    lost as (
      select d.id, d.lease_token as token, d.attempt_count, d.retry_step, d.trigger, false as probe
      from webhook_deliveries d join expired e on e.id = d.id where e.claim_count >= ${limits.maxClaims}::integer
    )
    select (select count(*)::integer from reclaimed) as reclaimed, (select json_agg(lost) from lost) as lost`,
  )
  const result = { outcome: 'lost', errorCode: 'worker_lost', durationMs: 0 } as const
  const lost = (row?.lost ?? []).map((claim) =>
    settlementOf(claim, result, { startedAt: clock.now(), random, deadlineMs: limits.deadlineMs }),
  )
  return { reclaimed: row?.reclaimed ?? 0, lost }
}

/** Returns claims that got no attempt. They become due again after `delayMs`. */
export async function releaseClaims(
  connection: WorkerConnection,
  claims: readonly Claim[],
  delayMs: number,
): Promise<void> {
  if (claims.length === 0) return
  const tokens = JSON.stringify(claims.map(({ id, token }) => ({ id, token })))
  await connection.query(
    'release',
    sql`
    update webhook_deliveries d set
      claim_count = d.claim_count - 1,
      ${unlessCancelled(sql`now() + ${delayMs}::float8 * interval '1 ms'`)}
    from json_to_recordset(${tokens}::json) as r(id text, token text)
    where d.id = r.id and d.lease_token = r.token`,
  )
}

/** The columns of a delivery `d` whose lease ends without an attempt: due again, or cancelled. */
export const unlessCancelled = (dueAt: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  status = case when d.cancel_requested then 'cancelled' when d.retry_step = 0 then 'pending' else 'retrying' end,
  next_attempt_at = case when not d.cancel_requested then ${dueAt} end,
  completed_at = case when d.cancel_requested then now() end,
  cancel_requested = false, lease_token = null, lease_until = null`
