import type { Page, PageBounds } from '../domain/page.ts'

/** A row of a page query. Each row has the total. An empty page is one row of nulls. */
export type PageRow<Row extends object> = (Row | { [Column in keyof Row]: null }) & { total: number }

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
