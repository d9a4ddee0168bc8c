import { type Kysely, sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { type Projection, PROJECTIONS } from '../../decode/projections.ts'
import type { AccountStates, StateRecord } from '../../decode/rows.ts'
import { writeAccountLetters } from '../write-account-letters.ts'

export interface StateWriteOptions {
  /** After a fork: what was read last counts, even if it was read at an earlier slot. */
  force?: boolean
  /** Rows that would not change are not touched; they keep the slot of the earlier read. */
  keepUnchanged?: boolean
}

/** Writes accounts as they were read. A row that was read at a later slot stays. */
export async function writeStates(
  db: Kysely<Database>,
  states: readonly AccountStates[],
  options: StateWriteOptions = {},
): Promise<void> {
  const { force = false } = options
  for (const projection of PROJECTIONS) {
    const rows = lastOfEach(states.flatMap((state) => state.rows.get(projection.table) ?? []))
    if (rows.length === 0) continue
    await upsert(db, projection, rows, options)
  }
  const closed = lastOfEach(states.flatMap((state) => state.closed))
  if (closed.length > 0) await close(db, closed, force)
  await writeAccountLetters(db, states, force)
}

async function upsert(
  db: Kysely<Database>,
  projection: Projection,
  rows: StateRecord[],
  { force = false, keepUnchanged = false }: StateWriteOptions,
): Promise<void> {
  const { table, columns } = projection
  const own = ['pda', ...Object.keys(columns), 'slot']
  const verdict = table === 'agents' ? ', card_hash_mismatch' : ''
  const verdictValue =
    table === 'agents'
      ? `, coalesce((select c.card_hash_mismatch from agent_card_checks c where c.agent_pda = r.pda), false)`
      : ''
  const types = ['pda text', ...Object.entries(columns).map((each) => each.join(' ')), 'slot bigint'].join(
    ', ',
  )
  await sql`
    with r as (
      select r.* from json_to_recordset(${JSON.stringify(rows)}::json) as r(${sql.raw(types)})
      where ${force}::boolean or not exists (
        select 1 from closed_accounts c where c.pda = r.pda and c.slot > r.slot)
    ), reopened as (
      delete from closed_accounts c using r where c.pda = r.pda
    )
    insert into ${sql.table(table)} as t (${sql.raw(own.join(', ') + verdict)})
    select ${sql.raw(own.map((column) => `r.${column}`).join(', ') + verdictValue)} from r order by r.pda
    on conflict (pda) do update set
      ${sql.raw(
        own
          .slice(1)
          .map((column) => `${column} = excluded.${column}`)
          .join(', '),
      )}
    where ${force}::boolean or (t.slot <= excluded.slot and (not ${keepUnchanged}::boolean
      or (${sql.raw(listOf('t', columns))}) is distinct from (${sql.raw(listOf('excluded', columns))})))`.execute(
    db,
  )
}

const listOf = (row: string, columns: Projection['columns']): string =>
  Object.keys(columns)
    .map((column) => `${row}.${column}`)
    .join(', ')

/** Removes the rows of closed accounts and remembers the slot, so that an earlier read cannot bring them back. */
async function close(
  db: Kysely<Database>,
  closed: { pda: string; slot: number }[],
  force: boolean,
): Promise<void> {
  const rows = sql`json_to_recordset(${JSON.stringify(closed)}::json) as r(pda text, slot bigint)`
  for (const { table } of PROJECTIONS)
    await sql`
      delete from ${sql.table(table)} t using ${rows}
      where t.pda = r.pda and (${force}::boolean or t.slot <= r.slot)`.execute(db)
  await sql`
    delete from agent_card_checks c using ${rows}
    where c.agent_pda = r.pda and not exists (select 1 from agents a where a.pda = r.pda)`.execute(db)
  await sql`
    insert into closed_accounts as t (pda, slot) select r.pda, r.slot from ${rows} order by r.pda
    on conflict (pda) do update set slot = excluded.slot
    where ${force}::boolean or t.slot < excluded.slot`.execute(db)
}

/** Of several reads of an account the latest. */
function lastOfEach<Row extends { pda: string; slot: number }>(rows: Row[]): Row[] {
  const last = new Map<string, Row>()
  for (const row of rows) if (row.slot >= (last.get(row.pda)?.slot ?? 0)) last.set(row.pda, row)
  return [...last.values()]
}
