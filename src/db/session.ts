import { Client, type Pool, type PoolConfig } from 'pg'
import type { Orm } from './orm-types.ts'

/** The pool's settings, for a connection that another thread opens. */
export async function connectionOptions(orm: Orm): Promise<object> {
  const pool = (await orm.em.getConnection().getNativeClient()) as Pool & { options: PoolConfig }
  const { connectionString, host, database, user, options } = pool.options
  return { connectionString, host, database, user, options }
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
