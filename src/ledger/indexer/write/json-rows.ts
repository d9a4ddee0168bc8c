import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../../db/database.ts'

/** Any number of rows as one parameter. They get the column types of the table. */
export const jsonRows = (table: keyof Database, rows: readonly object[]): RawBuilder<unknown> =>
  sql`json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json)`
