import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { Database } from './database.ts'
import type { Orm } from './orm-types.ts'

/**
 * For single statements, on the pool of the ORM. Each statement is one call of the pool. Kysely's
 * own driver acquires, queries and releases in three steps, which takes 20 % longer for a page of
 * agents.
 */
export async function openReads(orm: Orm): Promise<Kysely<Database>> {
  const pool = await orm.em.getConnection().getNativeClient()
  const connection: DatabaseConnection = {
    executeQuery: async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => {
      const { rows } = await pool.query(sql, [...parameters])
      return { rows: rows as Row[] }
    },
    streamQuery: () => {
      throw new Error('Reads have no streams')
    },
  }
  const nothing = async (): Promise<void> => {}
  const driver: Driver = {
    init: nothing,
    acquireConnection: async () => connection,
    beginTransaction: () => Promise.reject(new Error('Reads have no transactions')),
    commitTransaction: nothing,
    rollbackTransaction: nothing,
    releaseConnection: nothing,
    // The pool belongs to the ORM.
    destroy: nothing,
  }
  return new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (kysely) => new PostgresIntrospector(kysely),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

/** Runs single statements on the pool of the ORM. Rows are arrays, which are faster to read. */
export async function openRowReads(
  orm: Orm,
): Promise<(text: string, values: readonly unknown[]) => Promise<unknown[][]>> {
  const pool = await orm.em.getConnection().getNativeClient()
  return async (text, values) =>
    (await pool.query<unknown[]>({ text, values: [...values], rowMode: 'array' })).rows
}
