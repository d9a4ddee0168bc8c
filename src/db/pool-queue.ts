import type { PoolQueue } from '../platform/overload/pool-queue.ts'
import type { Orm } from './orm-types.ts'

/** The queue of the ORM's pool, as it is at each look; `taken` counts from here. */
export async function poolQueue(orm: Orm): Promise<PoolQueue> {
  const pool = await orm.em.getConnection().getNativeClient()
  let taken = 0
  pool.on('acquire', () => (taken += 1))
  return {
    connections: pool.options.max,
    get length() {
      return pool.waitingCount
    },
    get taken() {
      return taken
    },
  }
}
