import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Span } from '../domain/connection.ts'
import type { Order, Page, PageBounds } from '../domain/page.ts'
import type { Database } from './database.ts'

// The SQL of a page between two keys: conditions, to be joined with `and`, and `order by` with
// `limit`. The limit has one row more than the page.

/** Keys of a list that is sorted by one unique column. */
export function uniqueKeyset(
  column: RawBuilder<unknown>,
  order: Order,
  { size, backward, after, before }: Span<readonly [string | number]>,
) {
  const [rising, falling] = order === 'asc' ? [after, before] : [before, after]
  return {
    conditions: [
      ...(rising === undefined ? [] : [sql`${column} > ${rising[0]}`]),
      ...(falling === undefined ? [] : [sql`${column} < ${falling[0]}`]),
    ],
    page: sql`order by ${column} ${direction(order, backward)} limit ${size + 1}`,
  }
}

/** Keys of a list that is sorted by a column of the SQL type `type`, and ties by pda, ascending. */
export function sortedKeyset(
  { column, type, order }: { column: RawBuilder<unknown>; type: RawBuilder<unknown>; order: Order },
  { size, backward, after, before }: Span<readonly [value: string | number, pda: string]>,
) {
  // The first comparison is redundant, but it lets the index scan start at the key.
  const beyond = (
    [value, pda]: readonly [string | number, string],
    isRising: boolean,
    tie: RawBuilder<unknown>,
  ) => {
    const bound = sql`${value}::${type}`
    return isRising
      ? sql`${column} >= ${bound} and (${column} > ${bound} or ${tie} ${pda})`
      : sql`${column} <= ${bound} and (${column} < ${bound} or ${tie} ${pda})`
  }
  const isAscending = order === 'asc'
  return {
    conditions: [
      ...(after === undefined ? [] : [beyond(after, isAscending, sql`pda >`)]),
      ...(before === undefined ? [] : [beyond(before, !isAscending, sql`pda <`)]),
    ],
    page: sql`order by ${column} ${direction(order, backward)}, pda ${direction('asc', backward)} limit ${size + 1}`,
  }
}

function direction(order: Order, backward: boolean): RawBuilder<unknown> {
  return (order === 'asc') === backward ? sql`desc` : sql`asc`
}

/** A row of a page query. Each row has the total. An empty page is one row of nulls. */
export type PageRow<Row extends object> = (Row | { [Column in keyof Row]: null }) & { total: number }

/** Runs a statement that selects one number. */
export async function countRows(kysely: Kysely<Database>, count: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ total: number }>`select (${count}) as total`.execute(kysely)
  return rows[0]?.total ?? 0
}

/** Reads a page that was left-joined to its exact total. `key` is a column that is never null. */
export function readPage<Row extends object>(
  result: readonly PageRow<Row>[],
  key: keyof Row,
  { limit, offset }: PageBounds,
): Page<Row> {
  const first = result[0]
  const rows = first === undefined || first[key] === null ? [] : (result as Row[])
  return { total: first?.total ?? 0, limit, offset, rows }
}
