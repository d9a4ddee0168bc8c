import type { Orm } from './orm.ts'

/** Work that waits for a connection of the pool. */
export interface PoolQueue {
  /** How much can be done at once. */
  readonly connections: number
  readonly length: number
}

export async function poolQueue(orm: Orm): Promise<PoolQueue> {
  const pool = await orm.em.getConnection().getNativeClient()
  return {
    connections: pool.options.max,
    get length() {
      return pool.waitingCount
    },
  }
}
