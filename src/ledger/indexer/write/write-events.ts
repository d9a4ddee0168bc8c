import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { EVENTS_CHANNEL } from '../../../domain/webhook-events.ts'
import {
  type DeadLetterRow,
  INDEXED_COLUMNS,
  type IndexedRow,
  type IndexedRows,
  type IndexedTable,
  UNREAD_TRANSACTION_KINDS,
  withoutFinalAccounts,
} from '../../decode/rows.ts'
import { type CopyRows, writeCopyRows } from './copy-rows.ts'
import type { EventSink } from '../event-sink.ts'

type Db = Kysely<Database>

/** Any number of rows as one parameter. They get the column types of the table. */
export const jsonRows = (table: keyof Database, rows: readonly object[]): RawBuilder<unknown> =>
  sql`json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json)`

/** Writes the rows of transactions. A replay changes nothing. A moved transaction is updated. */
export async function mergeEvents(db: Db, rows: IndexedRows, sink: EventSink): Promise<void> {
  const notFinal = sql`t.finality <> 'finalized'`
  await upsert(db, 'ledger_transactions', withoutFinalAccounts(rows.ledger_transactions), notFinal)
  await upsert(db, 'ledger_events', rows.ledger_events, notFinal)
  await upsert(db, 'agent_history', rows.agent_history, sql`t.position <> excluded.position`)
  await deleteResolved(db, rows)
  const changed = await mergeOutbox(db, rows.outbox_events)
  if (changed.length > 0) await sink.added(db, changed)
  await writeDeadLetters(db, rows.dead_letters)
}

/** The same for new rows. Fails if the tables contain any of them. */
export async function copyEvents(
  db: Db,
  rows: IndexedRows,
  copyRows: CopyRows,
  sink: EventSink,
): Promise<void> {
  const outboxIds = rows.outbox_events.map((row) => row.id)
  await writeCopyRows(db, copyRows, outboxIds.length > 0)
  await deleteResolved(db, rows)
  if (outboxIds.length > 0) await sink.added(db, outboxIds)
  await writeDeadLetters(db, rows.dead_letters)
}

/**
 * Adds events for webhooks and live streams. Existing ones stay, unless a fork had removed the
 * event or moved it. Returns the ids of new and changed ones.
 */
export async function mergeOutbox(db: Db, rows: IndexedRow<'outbox_events'>[]): Promise<string[]> {
  if (rows.length === 0) return []
  const { rows: written } = await sql<{ id: string }>`
    ${insertRows('outbox_events', rows)}
    on conflict (id) do update set slot = excluded.slot, body = excluded.body,
      occurred_at = excluded.occurred_at, cancelled_at = null,
      restored_sequence = case when t.cancelled_at is null then t.restored_sequence
        else nextval('outbox_events_sequence_seq') end
    where t.cancelled_at is not null or t.slot <> excluded.slot
    returning t.id`.execute(db)
  if (written.length > 0) await sql`select pg_notify(${EVENTS_CHANNEL}, '')`.execute(db)
  return written.map((row) => row.id)
}

export const writeDeadLetters = (db: Db, rows: readonly DeadLetterRow[]): Promise<void> =>
  upsert(db, 'dead_letters', rows, sql`true`)

/**
 * Deletes the dead letters of transactions that could be read now, and the orphaned history of
 * events that are back. One statement saves a round trip.
 */
async function deleteResolved(db: Db, { ledger_transactions, agent_history }: IndexedRows): Promise<void> {
  if (ledger_transactions.length === 0) return
  await sql`
    with resolved as (
      delete from dead_letters
      where kind = any(${UNREAD_TRANSACTION_KINDS})
        and signature = any(${ledger_transactions.map((row) => row.signature)})
    )
    delete from orphaned_history where event_id = any(${agent_history.map((row) => row.event_id)})`.execute(
    db,
  )
}

/** Inserts rows in their order. Existing rows that meet the condition are updated. */
async function upsert<Table extends IndexedTable>(
  db: Db,
  table: Table,
  rows: readonly IndexedRow<Table>[],
  condition: RawBuilder<unknown>,
): Promise<void> {
  if (rows.length === 0) return
  const [key, ...others] = INDEXED_COLUMNS[table]
  const updates = others.map((column) => `${column} = excluded.${column}`).join(', ')
  await sql`
    ${insertRows(table, rows)}
    on conflict (${sql.ref(key)}) do update set ${sql.raw(updates)} where ${condition}`.execute(db)
}

function insertRows(table: IndexedTable, rows: readonly object[]): RawBuilder<unknown> {
  const columns = sql.raw(INDEXED_COLUMNS[table].join(', '))
  return sql`insert into ${sql.table(table)} as t (${columns})
    select ${columns} from ${jsonRows(table, rows)} with ordinality order by ordinality`
}
