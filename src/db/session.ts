import { Client, type Pool, type PoolConfig } from 'pg'
import type { Orm, EntityManager } from './orm-types.ts'

/** The pool's settings, for a connection that another thread opens. */
export async function connectionOptions(orm: Orm): Promise<object> {
  const pool = (await orm.em.getConnection().getNativeClient()) as Pool & { options: PoolConfig }
  const { connectionString, host, database, user, options } = pool.options
  return { connectionString, host, database, user, options }
}

/** Runs single statements on the pool of the ORM. Rows are arrays, which are faster to read. */
export async function openRowReads(
  orm: Orm,
): Promise<(text: string, values: readonly unknown[]) => Promise<unknown[][]>> {
  const pool = await orm.em.getConnection().getNativeClient()
  return async (text, values) =>
    (await pool.query<unknown[]>({ text, values: [...values], rowMode: 'array' })).rows
}

/**
 * Opens a connection outside the pool, with the pool's settings. Session locks last as long as it
 * does. After it is lost, each query rejects. It then also emits `end`.
 */
export async function openSession({ em }: Pick<Orm, 'em'>): Promise<Client> {
  const pool = (await em.getConnection().getNativeClient()) as Pool & { options: object }
  const client = new Client(pool.options)
  // Without a listener, an `error` event ends the process.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** SQLSTATE of a server that works and has no free connection. */
const TOO_MANY_CONNECTIONS = '53300'

/**
 * Whether the database answers, and accepts new connections: open ones can outlive its socket. Uses
 * a connection of its own, so it does not wait for those of the pool.
 */
export function createDatabaseProbe(em: EntityManager): () => Promise<boolean> {
  return async () => {
    try {
      await (await openSession({ em })).end()
      return true
    } catch (error) {
      return (error as { code?: string }).code === TOO_MANY_CONNECTIONS
    }
  }
}
