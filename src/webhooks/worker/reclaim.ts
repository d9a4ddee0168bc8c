import { sql } from 'kysely'
import type { Clock } from '../../platform/clock.ts'
import type { WorkerLimits } from './limits.ts'
import { retryDelay } from './retry-schedule.ts'
import type { Settlement } from './settle.ts'
import type { WorkerConnection } from './worker-connection.ts'

const MAX_RECLAIMS = 500
/** A delivery whose workers keep crashing may cause the crashes. Each claim adds this delay. */
const DELAY_SECONDS = 5

type Lost = Pick<Settlement, 'id' | 'token' | 'trigger'> & { attempt_count: number; retry_step: number }

/**
 * Makes deliveries with an expired lease due again. A delivery that was claimed `maxClaims` times
 * without an outcome is returned as a failed attempt, so that it reaches an end.
 */
export async function reclaim(
  connection: WorkerConnection,
  { limits, clock, random }: { limits: WorkerLimits; clock: Clock; random: () => number },
): Promise<{ reclaimed: number; lost: Settlement[] }> {
  const [row] = await connection.query<{ reclaimed: number; lost: Lost[] | null }>(
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
        next_attempt_at = now() + (d.claim_count - 1) * ${sql.lit(DELAY_SECONDS)} * interval '1 s',
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
  const lost = (row?.lost ?? []).map(({ id, token, trigger, attempt_count, retry_step }) => ({
    id,
    token,
    number: attempt_count + 1,
    trigger,
    outcome: 'lost' as const,
    started_at: new Date(clock.now()).toISOString(),
    duration_ms: 0,
    response_status: null,
    error_code: 'worker_lost',
    response_excerpt: null,
    retry_ms: retryDelay(retry_step, {}, random),
    pause_ms: null,
    unreachable: false,
    probe: false,
  }))
  return { reclaimed: row?.reclaimed ?? 0, lost }
}
