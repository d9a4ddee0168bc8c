import type { Orm } from './orm.ts'

/** Work that waits for a connection of the pool. */
export interface PoolQueue {
  /** How much can be done at once. */
  readonly connections: number
  readonly length: number
  /** How often a connection was given to work so far. */
  readonly taken: number
}

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
