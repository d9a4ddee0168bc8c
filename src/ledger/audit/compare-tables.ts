import { type RawBuilder, sql } from 'kysely'
import type { Difference } from './findings.ts'
import type { AuditContext } from './options.ts'

/** Compares the counts that triggers maintain with the agents (`ledger`). */
export async function compareCounts({ orm }: AuditContext): Promise<Difference[]> {
  const dimensions = sql`tier, status, service_category, card_hash_mismatch`
  const { rows } = await sql<{ key: string; ledger: number; database: number }>`
    select concat_ws('/', ${dimensions}) as key,
      coalesce(a.count, 0) as ledger, coalesce(k.count, 0) as database
    from (select ${dimensions}, count(*) from agents group by ${dimensions}) a
    full join agent_counts k using (${dimensions})
    where coalesce(a.count, 0) <> coalesce(k.count, 0)`.execute(orm.em.fork().getKysely())
  return rows.map(({ key, ledger, database }) => ({
    table: 'agent_counts',
    key,
    field: 'count',
    ledger,
    database,
  }))
}

/**
 * Finds history entries and outbox events that belong to no event. Those of an event in `found`
 * are not reported again: the loss of its row is the difference.
 */
export async function findUnmatchedRows(
  { orm }: AuditContext,
  found: readonly Difference[],
): Promise<Difference[]> {
  const lost = found.filter(({ table, field }) => table === 'ledger_events' && field === '*')
  const isUnmatched = sql`not (s.event_id = any(${lost.map(({ key }) => key)}))
    and not exists (select 1 from ledger_events e where e.id = s.event_id)`
  const find = async (table: string, query: RawBuilder<{ key: string }>): Promise<Difference[]> => {
    const { rows } = await query.execute(orm.em.fork().getKysely())
    return rows.map(({ key, ...database }) => ({ table, key, field: '*', ledger: undefined, database }))
  }
  return [
    ...(await find(
      'agent_history',
      sql`select s.event_id as key, s.* from agent_history s where ${isUnmatched} order by s.event_id`,
    )),
    ...(await find(
      'outbox_events',
      sql`select s.id as key, s.* from outbox_events s
        where s.cancelled_at is null and ${isUnmatched} order by s.id`,
    )),
  ]
}
