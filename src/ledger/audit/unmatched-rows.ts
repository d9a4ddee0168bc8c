import { type RawBuilder, sql } from 'kysely'
import type { Difference } from './findings.ts'
import type { AuditContext } from './options.ts'

/**
 * Entries of history, and messages to receivers, that belong to no event; those of an event whose own row is lost are the lost event's difference.
 */
export async function findStrays({ orm }: AuditContext, found: readonly Difference[]): Promise<Difference[]> {
  const lost = found.filter(({ table, field }) => table === 'ledger_events' && field === '*')
  const isStray = sql`not (s.event_id = any(${lost.map(({ key }) => key)}))
    and not exists (select 1 from ledger_events e where e.id = s.event_id)`
  const strays = async (table: string, rows: RawBuilder<{ key: string }>): Promise<Difference[]> => {
    const stored = await rows.execute(orm.em.fork().getKysely())
    return stored.rows.map(({ key, ...row }) => ({
      table,
      key,
      field: '*',
      ledger: undefined,
      database: row,
    }))
  }
  return [
    ...(await strays(
      'agent_history',
      sql`select s.event_id as key, s.* from agent_history s where ${isStray} order by s.event_id`,
    )),
    ...(await strays(
      'outbox_events',
      sql`select s.id as key, s.* from outbox_events s
        where s.cancelled_at is null and ${isStray} order by s.id`,
    )),
  ]
}
