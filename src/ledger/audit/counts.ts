import { sql } from 'kysely'
import type { Difference } from './findings.ts'
import type { AuditContext } from './options.ts'

/** The counts kept by triggers against the agents' rows; `ledger` is what the rows say. */
export async function compareCounts({ orm }: AuditContext): Promise<Difference[]> {
  const dimensions = sql`tier, status, service_category, card_hash_mismatch`
  const { rows } = await sql<{ key: string; actual: number; kept: number }>`
    select concat_ws('/', tier, status, service_category, card_hash_mismatch) as key,
      coalesce(a.count, 0) as actual, coalesce(k.count, 0) as kept
    from (select ${dimensions}, count(*) from agents group by ${dimensions}) a
    full join agent_counts k using (${dimensions})
    where coalesce(a.count, 0) <> coalesce(k.count, 0)`.execute(orm.em.fork().getKysely())
  return rows.map(({ key, actual, kept }) => ({
    table: 'agent_counts',
    key,
    field: 'count',
    ledger: actual,
    database: kept,
  }))
}
