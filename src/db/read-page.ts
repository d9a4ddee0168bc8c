import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Page, PageBounds } from '../domain/page.ts'
import type { Database } from './database.ts'

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
