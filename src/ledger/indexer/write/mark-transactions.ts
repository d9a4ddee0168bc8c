import { type Kysely, sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { INDEXED_COLUMNS } from '../../decode/rows.ts'
import type { EventSink } from '../event-sink.ts'

type Db = Kysely<Database>

/** Marks transactions as final in these slots. A row with another slot is from a fork and stays. */
export async function markFinalized(
  db: Db,
  transactions: readonly { signature: string; slot: number }[],
): Promise<void> {
  if (transactions.length === 0) return
  const signatures = transactions.map((each) => each.signature)
  const slots = transactions.map((each) => each.slot)
  const final = sql`unnest(${signatures}::text[], ${slots}::bigint[]) as f(signature, slot)`
  await sql`
    update ledger_events e set finality = 'finalized' from ${final}
    where e.signature = f.signature and e.slot = f.slot and e.finality = 'confirmed'`.execute(db)
  await sql`
    update ledger_transactions t set finality = 'finalized', accounts = '{}' from ${final}
    where t.signature = f.signature and t.slot = f.slot and t.finality = 'confirmed'`.execute(db)
}

/**
 * Marks transactions that a fork removed: their history entries are moved to `orphaned_history`,
 * and their outbox events are cancelled.
 */
export async function markOrphaned(db: Db, signatures: readonly string[], sink: EventSink): Promise<void> {
  const events = sql`select id from ledger_events where signature = any(${signatures})`
  const columns = sql.raw(INDEXED_COLUMNS.agent_history.join(', '))
  await sql`
    with removed as (delete from agent_history where event_id in (${events}) returning *)
    insert into orphaned_history (${columns}) select ${columns} from removed on conflict do nothing`.execute(
    db,
  )
  const { rows } = await sql<{ id: string }>`
    update outbox_events set cancelled_at = coalesce(cancelled_at, now())
    where event_id in (${events}) returning id`.execute(db)
  const removed = rows.map((row) => row.id)
  if (removed.length > 0) await sink.removed(db, removed)
  await sql`update ledger_events set finality = 'orphaned' where signature = any(${signatures})`.execute(db)
  await sql`delete from dead_letters where signature = any(${signatures})`.execute(db)
  await sql`
    update ledger_transactions set finality = 'orphaned' where signature = any(${signatures})`.execute(db)
}
