import { Client, type Pool } from 'pg'
import type { Orm } from './orm-types.ts'

/**
 * A connection of its own beside the pool, with the pool's settings: session locks live as long as it does. Once it is lost every query
 * rejects; who waits without one listens to `end`.
 */
export async function openSession(orm: Orm): Promise<Client> {
  const pool = (await orm.em.getConnection().getNativeClient()) as Pool & { options: object }
  const client = new Client(pool.options)
  // An event `error` that nobody hears ends the process.
  client.on('error', () => undefined)
  await client.connect()
  return client
}
