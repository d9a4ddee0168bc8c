import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../../../src/db/database.ts'

export const SCANS = sql`seq_scan`
export const READ_ROWS = sql`seq_tup_read + idx_tup_fetch`

/**
 * How much of a table `read` reads, in a transaction of its own. It is a difference, because
 * PostgreSQL also counts what the connection read within the last second.
 */
export const readsOf = (
  db: Kysely<Database>,
  table: keyof Database,
  counter: RawBuilder<unknown>,
  read: (trx: Kysely<Database>) => Promise<unknown>,
): Promise<number> =>
  db.transaction().execute(async (trx) => {
    const count = async (): Promise<number> => {
      const { rows } = await sql<{ count: string | null }>`
        select ${counter} as count from pg_stat_xact_user_tables where relname = ${table}`.execute(trx)
      return Number(rows[0]?.count)
    }
    const before = await count()
    await read(trx)
    return (await count()) - before
  })
