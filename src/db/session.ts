import { Client, type Pool } from 'pg'
import type { Orm } from './orm-types.ts'

/**
 * Opens a connection outside the pool, with the pool's settings. Session locks last as long as it
 * does. After it is lost, each query rejects. It then also emits `end`.
 */
export async function openSession(orm: Orm): Promise<Client> {
  const pool = (await orm.em.getConnection().getNativeClient()) as Pool & { options: object }
  const client = new Client(pool.options)
  // Without a listener, an `error` event ends the process.
  client.on('error', () => undefined)
  await client.connect()
  return client
}
