import type { PoolQueue } from '../platform/overload/admission.ts'
import type { Orm } from './orm-types.ts'

/** The queue of the ORM's connection pool. `acquired` counts from this call on. */
export async function poolQueue(orm: Orm): Promise<PoolQueue> {
  const pool = await orm.em.getConnection().getNativeClient()
  let acquired = 0
  pool.on('acquire', () => (acquired += 1))
  return {
    connections: pool.options.max,
    get length() {
      return pool.waitingCount
    },
    get acquired() {
      return acquired
    },
  }
}
