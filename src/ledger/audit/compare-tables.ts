import { type RawBuilder, sql } from 'kysely'
import type { Difference } from './findings.ts'
import type { AuditContext } from './options.ts'

/** Compares the counts that triggers maintain with the agents (`ledger`). */
export async function compareCounts({ orm }: AuditContext): Promise<Difference[]> {
  const dimensions = sql`tier, status, service_category, card_hash_mismatch`
  const { rows } = await sql<Omit<Difference, 'table' | 'field'>>`
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
  const lostIds = lost.map((difference) => difference.key)
  const find = async (table: string, key: string, condition: RawBuilder<unknown>): Promise<Difference[]> => {
    const { rows } = await sql<{ key: string }>`
      select s.${sql.ref(key)} as key, s.* from ${sql.table(table)} s
      where ${condition} and not (s.event_id = any(${lostIds}))
        and not exists (select 1 from ledger_events e where e.id = s.event_id)
      order by 1`.execute(orm.em.fork().getKysely())
    return rows.map(({ key: id, ...database }) => ({
      table,
      key: id,
      field: '*',
      ledger: undefined,
      database,
    }))
  }
  return [
    ...(await find('agent_history', 'event_id', sql`true`)),
    ...(await find('outbox_events', 'id', sql`s.cancelled_at is null`)),
  ]
}
