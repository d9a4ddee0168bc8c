import { type Kysely, sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { EVENTS_CHANNEL } from '../../../domain/webhook-events.ts'
import {
  type DeadLetterRow,
  type DecodedTransactions,
  type EventRow,
  type HistoryRow,
  LETTERS_OF_WHOLE_TRANSACTIONS,
  type OutboxRow,
  type TransactionRow,
} from '../../decode/rows.ts'
import { type CopiedRows, writeCopied } from './copy-rows.ts'
import { enqueueDeliveries } from './deliveries.ts'

type Db = Kysely<Database>

/** Writes what transactions logged. Replay changes nothing; a transaction that a fork moved takes its new place. */
export async function mergeEvents(db: Db, batch: DecodedTransactions): Promise<void> {
  await mergeTransactions(db, batch.transactions)
  await mergeLedgerEvents(db, batch.events)
  await mergeHistory(db, batch.history)
  await noteRead(db, batch)
  await enqueueDeliveries(db, await mergeOutbox(db, batch.outbox))
  await writeDeadLetters(db, batch.deadLetters)
}

/** The same for what the tables lack; fails where they hold any of it. */
export async function copyEvents(db: Db, batch: DecodedTransactions, rows: CopiedRows): Promise<void> {
  await writeCopied(db, rows, batch.outbox.length > 0)
  await noteRead(db, batch)
  await enqueueDeliveries(
    db,
    batch.outbox.map((row) => row.id),
  )
  await writeDeadLetters(db, batch.deadLetters)
}

/** What could not be read before, and what a fork had taken back, is in the tables now. In one round trip, since the node is read meanwhile. */
async function noteRead(db: Db, { transactions, history }: DecodedTransactions): Promise<void> {
  if (transactions.length === 0) return
  await sql`
    with letters as (
      delete from dead_letters
      where kind = any(${LETTERS_OF_WHOLE_TRANSACTIONS})
        and signature = any(${transactions.map((row) => row.signature)})
    )
    delete from orphaned_history where event_id = any(${history.map((row) => row.event_id)})`.execute(db)
}

const records = (rows: readonly object[], columns: string) =>
  sql`json_to_recordset(${JSON.stringify(rows)}::json) as r(${sql.raw(columns)})`

async function mergeTransactions(db: Db, rows: TransactionRow[]): Promise<void> {
  if (rows.length === 0) return
  const columns = 'signature text, slot bigint, transaction_index integer, accounts text[], finality text'
  await sql`
    insert into ledger_transactions as t (signature, slot, transaction_index, accounts, finality)
    select signature, slot, transaction_index, case finality when 'finalized' then '{}' else accounts end, finality
    from ${records(rows, columns)} order by signature
    on conflict (signature) do update set
      slot = excluded.slot, transaction_index = excluded.transaction_index,
      accounts = excluded.accounts, finality = excluded.finality
    where t.finality <> 'finalized'`.execute(db)
}

async function mergeLedgerEvents(db: Db, rows: EventRow[]): Promise<void> {
  if (rows.length === 0) return
  const columns = `id text, position text, signature text, slot bigint, name text, agent_pda text, owner text,
    data text, finality text, occurred_at timestamptz`
  await sql`
    insert into ledger_events as t
      (id, position, signature, slot, name, agent_pda, owner, data, finality, occurred_at)
    select id, position, signature, slot, name, agent_pda, owner, data::jsonb, finality, occurred_at
    from ${records(rows, columns)} order by position
    on conflict (id) do update set
      position = excluded.position, slot = excluded.slot, data = excluded.data,
      finality = excluded.finality, occurred_at = excluded.occurred_at
    where t.finality <> 'finalized'`.execute(db)
}

async function mergeHistory(db: Db, rows: HistoryRow[]): Promise<void> {
  if (rows.length === 0) return
  const columns = `event_id text, position text, agent_pda text, event_type text, old_value text, new_value text,
    delta text, occurred_at timestamptz`
  await sql`
    insert into agent_history as t
      (event_id, position, agent_pda, event_type, old_value, new_value, delta, occurred_at)
    select event_id, position, agent_pda, event_type, old_value, new_value, delta, occurred_at
    from ${records(rows, columns)} order by position
    on conflict (event_id) do update set
      position = excluded.position, old_value = excluded.old_value, new_value = excluded.new_value,
      delta = excluded.delta, occurred_at = excluded.occurred_at
    where t.position <> excluded.position`.execute(db)
}

/**
 * What is enqueued stays as it is, unless a fork had taken the event back and brings it again, or has moved it.
 * Returns the ids of what is new or changed.
 */
export async function mergeOutbox(db: Db, rows: OutboxRow[]): Promise<string[]> {
  if (rows.length === 0) return []
  const columns = `place integer, id text, event_id text, type text, agent_pda text, slot bigint, body text,
    occurred_at timestamptz`
  const placed = rows.map((row, place) => ({ place, ...row }))
  const written = await sql<{ id: string }>`
    insert into outbox_events as t (id, event_id, type, agent_pda, slot, body, occurred_at)
    select id, event_id, type, agent_pda, slot, body, occurred_at from ${records(placed, columns)} order by place
    on conflict (id) do update set slot = excluded.slot, body = excluded.body,
      occurred_at = excluded.occurred_at, cancelled_at = null,
      restored_sequence = case when t.cancelled_at is null then t.restored_sequence
        else nextval('outbox_events_sequence_seq') end
    where t.cancelled_at is not null or t.slot <> excluded.slot
    returning t.id`.execute(db)
  // A hint that saves live streams the wait for their next look.
  if (written.rows.length > 0) await sql`select pg_notify(${EVENTS_CHANNEL}, '')`.execute(db)
  return written.rows.map((row) => row.id)
}

export async function writeDeadLetters(db: Db, rows: readonly DeadLetterRow[]): Promise<void> {
  if (rows.length === 0) return
  const columns = 'id text, kind text, signature text, pda text, slot bigint, reason text, data text'
  await sql`
    insert into dead_letters (id, kind, signature, pda, slot, reason, data)
    select id, kind, signature, pda, slot, reason, data from ${records(rows, columns)} order by id
    on conflict (id) do update set slot = excluded.slot, reason = excluded.reason, data = excluded.data`.execute(
    db,
  )
}
