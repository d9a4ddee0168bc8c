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
import { CopyData, copyIn, copyText } from '../../../db/copy-in.ts'

/** Gets events of the outbox, in the transaction that writes or removes them. */
export interface EventSink {
  /** New and changed events. */
  added(db: Db, outboxIds: readonly string[]): Promise<void>
  /** Events that a fork removed. */
  removed(db: Db, outboxIds: readonly string[]): Promise<void>
}

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
  // One round trip, at half the cost of merging the rows.
  const notify = outboxIds.length > 0 ? `; notify ${EVENTS_CHANNEL}` : ''
  await copyIn(db, `${COPY_STATEMENTS}${notify}`, new CopyData(copyRows))
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

const TABLES = ['ledger_transactions', 'ledger_events', 'agent_history', 'outbox_events'] as const
const COPY_STATEMENTS = TABLES.map(
  (table) => `copy ${table} (${INDEXED_COLUMNS[table].join(', ')}) from stdin`,
).join('; ')
const UNIQUE_VIOLATION = '23505'

/** Encoded rows in pieces, by table in the order of the statements. */
export type CopyRows = readonly (readonly Buffer[])[]

export function encodeCopyRows(rows: IndexedRows): CopyRows {
  const stored = { ...rows, ledger_transactions: withoutFinalAccounts(rows.ledger_transactions) }
  return TABLES.map((table) => [copyText(stored[table], INDEXED_COLUMNS[table])])
}

/** Null if one of the parts is null. */
export function joinCopyRows(parts: readonly (CopyRows | null)[]): CopyRows | null {
  const encoded = parts.filter((part) => part !== null)
  if (encoded.length < parts.length) return null
  return TABLES.map((_, table) => encoded.flatMap((part) => part[table] ?? []))
}

/** The tables contained a row already, or the listing contained a transaction twice. */
export const isUniqueViolation = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === UNIQUE_VIOLATION

/** A fork may move a transaction to another slot. */
export interface TransactionInSlot {
  signature: string
  slot: number
}

const rowsOf = (transactions: readonly TransactionInSlot[]): RawBuilder<unknown> =>
  sql`unnest(${transactions.map((each) => each.signature)}::text[],
    ${transactions.map((each) => each.slot)}::bigint[]) as f(signature, slot)`

/** Marks transactions as final in these slots. A row with another slot is from a fork and stays. */
export async function markFinalized(db: Db, transactions: readonly TransactionInSlot[]): Promise<void> {
  if (transactions.length === 0) return
  const final = rowsOf(transactions)
  await sql`
    update ledger_events e set finality = 'finalized' from ${final}
    where e.signature = f.signature and e.slot = f.slot and e.finality = 'confirmed'`.execute(db)
  await sql`
    update ledger_transactions t set finality = 'finalized', accounts = '{}' from ${final}
    where t.signature = f.signature and t.slot = f.slot and t.finality = 'confirmed'`.execute(db)
}

/**
 * Marks transactions that a fork removed from these slots: their history entries are moved to
 * `orphaned_history`, and their outbox events are cancelled. A transaction that was written since
 * as final, or in another slot, stays.
 */
export async function markOrphaned(
  db: Db,
  transactions: readonly TransactionInSlot[],
  sink: EventSink,
): Promise<void> {
  const { rows: marked } = await sql<{ signature: string }>`
    update ledger_transactions t set finality = 'orphaned' from ${rowsOf(transactions)}
    where t.signature = f.signature and t.slot = f.slot and t.finality <> 'finalized'
    returning t.signature`.execute(db)
  const signatures = marked.map((row) => row.signature)
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
}
