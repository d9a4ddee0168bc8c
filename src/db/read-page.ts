import type { Page, PageBounds } from '../domain/page.ts'

/** A row of a page query: every row carries the total; one row of nulls stands for an empty page. */
export type PageRow<Row extends object> = (Row | { [Column in keyof Row]: null }) & { total: number }

/** Reads the result of a statement that left-joins a page to its exact total. `key` is a column that is never null. */
export function readPage<Row extends object>(
  result: readonly PageRow<Row>[],
  key: keyof Row,
  { limit, offset }: PageBounds,
): Page<Row> {
  const first = result[0]
  const rows = first === undefined || first[key] === null ? [] : (result as Row[])
  return { total: first?.total ?? 0, limit, offset, rows }
}
