import { sql } from 'kysely'
import type { Database } from '../db/tables.ts'
import type { AuditContext } from './audit.ts'
import type { Difference } from './findings.ts'

/** What is enqueued for receivers and belongs to no event; that of an event whose own row is lost is the lost event's difference. */
export async function findStrays({ orm }: AuditContext, found: readonly Difference[]): Promise<Difference[]> {
  const lost = found.filter(({ table, field }) => table === 'ledger_events' && field === '*')
  const { rows } = await sql<{ id: string }>`
    select o.* from outbox_events o
    where o.cancelled_at is null and not (o.event_id = any(${lost.map(({ key }) => key)}))
      and not exists (select 1 from ledger_events e where e.id = o.event_id)
    order by o.id`.execute(orm.em.fork().getKysely<Database>())
  return rows.map((row) => ({
    table: 'outbox_events',
    key: row.id,
    field: '*',
    ledger: undefined,
    database: row,
  }))
}
