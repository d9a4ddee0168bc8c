import {
  type CompiledQuery,
  DummyDriver,
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
  return kyselyWith(async ({ sql, parameters }) => (await pool.query<object>(sql, [...parameters])).rows)
}

/** Runs each statement with this function. */
export function kyselyWith(read: (query: CompiledQuery) => Promise<object[]>): Kysely<Database> {
  const connection = {
    executeQuery: async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => ({
      rows: (await read(query)) as Row[],
    }),
    streamQuery: () => {
      throw new Error('Reads have no streams')
    },
  }
  const driver = Object.assign(new DummyDriver(), {
    acquireConnection: async () => connection,
    beginTransaction: () => Promise.reject(new Error('Reads have no transactions')),
  })
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
