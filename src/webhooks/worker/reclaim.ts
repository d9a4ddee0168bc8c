import { sql } from 'kysely'
import type { Clock } from '../../platform/clock.ts'
import { retryDelay } from './retry-schedule.ts'
import type { WorkerSession } from './session.ts'
import type { Settlement } from './settle.ts'
import type { WorkerLimits } from './timing.ts'

const MAX_RECLAIMS = 500
/** A delivery that was lost more than once may be what ends workers: it waits a little longer each time. */
const REST_SECONDS = 5

interface Expired {
  id: string
  token: string
  attempt_count: number
  retry_step: number
  trigger: Settlement['trigger']
}

/**
 * Makes deliveries due again whose worker let the lease run out. One that was claimed `maxClaims` times without an outcome is
 * returned instead, to be settled as a failed attempt: so it comes to an end.
 */
export async function reclaim(
  session: WorkerSession,
  { limits, clock, random }: { limits: WorkerLimits; clock: Clock; random: () => number },
): Promise<{ reclaimed: number; lost: Settlement[] }> {
  const [row] = await session.query<{ reclaimed: number; lost: Expired[] | null }>(
    'reclaim',
    sql`
    with expired as (
      select id, claim_count from webhook_deliveries d
      where d.status = 'in_flight' and d.lease_until < now()
      order by d.lease_until limit ${sql.lit(MAX_RECLAIMS)} for update skip locked
    ),
    reclaimed as (
      update webhook_deliveries d set
        status = case when d.retry_step = 0 then 'pending' else 'retrying' end,
        next_attempt_at = now() + (d.claim_count - 1) * ${sql.lit(REST_SECONDS)} * interval '1 s',
        lease_token = null, lease_until = null
      from expired e where e.id = d.id and e.claim_count < ${limits.maxClaims}::integer
      returning d.id
    ),
    lost as (
      select d.id, d.lease_token as token, d.attempt_count, d.retry_step, d.trigger
      from webhook_deliveries d join expired e on e.id = d.id where e.claim_count >= ${limits.maxClaims}::integer
    )
    select (select count(*)::integer from reclaimed) as reclaimed, (select json_agg(lost) from lost) as lost`,
  )
  const lost = (row?.lost ?? []).map((expired) => ({
    id: expired.id,
    token: expired.token,
    number: expired.attempt_count + 1,
    trigger: expired.trigger,
    outcome: 'lost' as const,
    started_at: new Date(clock.now()).toISOString(),
    duration_ms: 0,
    response_status: null,
    error_code: 'worker_lost',
    response_excerpt: null,
    retry_ms: retryDelay(expired.retry_step, { pauseMs: null }, random),
    pause_ms: null,
    nobody: false,
    probe: false,
  }))
  return { reclaimed: row?.reclaimed ?? 0, lost }
}
