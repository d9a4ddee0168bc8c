import { type Kysely, sql } from 'kysely'
import type { Database } from '../../../src/db/database.ts'

/** The rows by which webhook_queue differs from the unfinished rows of webhook_deliveries. */
export async function queueErrors(db: Kysely<Database>): Promise<unknown[]> {
  const { rows } = await sql`
    with expected as (
      select status, network, subscription_id, coalesce(next_attempt_at, lease_until) as due_at, id
      from webhook_deliveries where status in ('pending', 'retrying', 'in_flight')
    )
    (select 'missing' as error, * from expected except all select 'missing', * from webhook_queue)
    union all
    (select 'unexpected', * from webhook_queue except all select 'unexpected', * from expected)`.execute(db)
  return rows
}
