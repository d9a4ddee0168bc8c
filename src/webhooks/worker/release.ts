import { type RawBuilder, sql } from 'kysely'
import type { Claim } from './claim.ts'
import type { WorkerConnection } from './worker-connection.ts'

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
