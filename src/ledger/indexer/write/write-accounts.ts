import { type Kysely, sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import {
  ACCOUNT_TABLES,
  type AccountRow,
  type AccountSnapshot,
  type AccountTable,
  pdasOf,
} from '../../decode/decode-account.ts'
import type { DeadLetterRow } from '../../decode/rows.ts'
import { jsonRows, writeDeadLetters } from './write-events.ts'

type Db = Kysely<Database>

export interface WriteAccountsOptions {
  /** After a fork: writes also over reads of later slots. */
  force?: boolean
  /** Unchanged rows are not updated and keep their slot. */
  keepUnchanged?: boolean
}

/** Writes accounts as they were read. Of several reads, the one of the latest slot counts. */
export async function writeAccounts(
  db: Db,
  snapshots: readonly AccountSnapshot[],
  options: WriteAccountsOptions = {},
): Promise<void> {
  const { force = false } = options
  for (const table of ACCOUNT_TABLES) {
    const rows = latestReads(snapshots.flatMap((snapshot) => snapshot.rows.get(table) ?? []))
    if (rows.length > 0) await upsertAccounts(db, table, rows, options)
  }
  const closed = latestReads(snapshots.flatMap((snapshot) => snapshot.closed))
  if (closed.length > 0) await closeAccounts(db, closed, force)
  await writeAccountDeadLetters(db, snapshots, force)
}

async function upsertAccounts(
  db: Db,
  table: AccountTable,
  rows: AccountRow[],
  { force = false, keepUnchanged = false }: WriteAccountsOptions,
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  const content = columns.filter((column) => column !== 'pda' && column !== 'slot')
  const list = (prefix: string, names: string[]) =>
    sql.raw(names.map((column) => `${prefix}.${column}`).join(', '))
  const updates = [...content, 'slot'].map((column) => `${column} = excluded.${column}`).join(', ')
  // A new agent gets the result of its last agent card check, which is not on the ledger.
  const [checkColumn, checkResult] =
    table === 'agents'
      ? [
          sql`, card_hash_mismatch`,
          sql`, coalesce(
            (select c.card_hash_mismatch from agent_card_checks c where c.agent_pda = r.pda), false)`,
        ]
      : [sql``, sql``]
  await sql`
    with r as (
      select r.* from ${jsonRows(table, rows)} r
      where ${force}::boolean or not exists (
        select 1 from closed_accounts c where c.pda = r.pda and c.slot > r.slot)
    ), reopened as (
      delete from closed_accounts c using r where c.pda = r.pda
    )
    insert into ${sql.table(table)} as t (${sql.raw(columns.join(', '))}${checkColumn})
    select ${list('r', columns)}${checkResult} from r order by r.pda
    on conflict (pda) do update set ${sql.raw(updates)}
    where ${force}::boolean or (t.slot <= excluded.slot and (not ${keepUnchanged}::boolean
      or (${list('t', content)}) is distinct from (${list('excluded', content)})))`.execute(db)
}

/**
 * Deletes the rows and stores the slot, so that a read of an earlier slot does not restore them.
 */
async function closeAccounts(db: Db, closed: { pda: string; slot: number }[], force: boolean): Promise<void> {
  const rows = jsonRows('closed_accounts', closed)
  for (const table of ACCOUNT_TABLES)
    await sql`
      delete from ${sql.table(table)} t using ${rows} r
      where t.pda = r.pda and (${force}::boolean or t.slot <= r.slot)`.execute(db)
  await sql`
    delete from agent_card_checks c using ${rows} r
    where c.agent_pda = r.pda and not exists (select 1 from agents a where a.pda = r.pda)`.execute(db)
  await sql`
    insert into closed_accounts as t (pda, slot) select r.pda, r.slot from ${rows} r order by r.pda
    on conflict (pda) do update set slot = excluded.slot
    where ${force}::boolean or t.slot < excluded.slot`.execute(db)
}

/** Stores what could not be decoded. Deletes the dead letters of accounts that were read since. */
async function writeAccountDeadLetters(
  db: Db,
  snapshots: readonly AccountSnapshot[],
  force: boolean,
): Promise<void> {
  const reads = latestReads(
    snapshots.flatMap((snapshot) => pdasOf(snapshot).map((pda) => ({ pda, slot: snapshot.slot }))),
  )
  if (reads.length === 0) return
  await sql`
    delete from dead_letters d using ${jsonRows('closed_accounts', reads)} r
    where d.pda = r.pda and (${force}::boolean or d.slot <= r.slot)`.execute(db)
  const slots = new Map(reads.map(({ pda, slot }) => [pda, slot]))
  const all = snapshots.flatMap((snapshot) => snapshot.deadLetters)
  const latest = new Map(
    all.filter(({ pda, slot }) => slot === slots.get(pda ?? '')).map((row) => [row.id, row]),
  )
  if (latest.size === 0) return
  const superseded = force ? new Set() : await findSuperseded(db, [...latest.values()])
  await writeDeadLetters(
    db,
    [...latest.values()].filter(({ id }) => !superseded.has(id)),
  )
}

/** The dead letters of accounts that were read successfully at a later slot. */
async function findSuperseded(db: Db, deadLetters: readonly DeadLetterRow[]): Promise<Set<string>> {
  const superseded = new Set<string>()
  for (const table of [...ACCOUNT_TABLES, 'closed_accounts'] as const) {
    const { rows } = await sql<{ id: string }>`
      select r.id from ${jsonRows('dead_letters', deadLetters)} r
      join ${sql.table(table)} t on t.pda = r.pda and t.slot > r.slot`.execute(db)
    for (const { id } of rows) superseded.add(id)
  }
  return superseded
}

/** Of several reads of an account the latest. Of reads in the same slot the last. */
function latestReads<Row extends { pda: string; slot: number }>(rows: Row[]): Row[] {
  const latest = new Map<string, Row>()
  for (const row of rows) if (row.slot >= (latest.get(row.pda)?.slot ?? 0)) latest.set(row.pda, row)
  return [...latest.values()]
}
