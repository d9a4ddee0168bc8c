import { sql } from 'kysely'
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
      status = case when d.retry_step = 0 then 'pending' else 'retrying' end,
      next_attempt_at = now() + ${delayMs}::float8 * interval '1 ms',
      claim_count = d.claim_count - 1, lease_token = null, lease_until = null
    from json_to_recordset(${tokens}::json) as r(id text, token text)
    where d.id = r.id and d.lease_token = r.token`,
  )
}
