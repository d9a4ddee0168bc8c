import { Pool } from 'undici'

export interface Pools {
  /** Runs `run` with the connections to an origin. */
  use<Result>(origin: string, run: (pool: Pool) => Promise<Result>): Promise<Result>
  /** Requests that still run fail with `reason`. */
  destroy(reason: Error): Promise<void>
}

interface Entry {
  readonly pool: Pool
  users: number
  expiry: NodeJS.Timeout | undefined
}

/**
 * Keeps one pool per origin and removes it after `idleMs` without use. undici's Agent never removes
 * the pool of an origin whose last request was aborted, so hostile hosts could fill the memory.
 */
export function createPools(options: Pool.Options, idleMs: number): Pools {
  const entries = new Map<string, Entry>()
  let destroyed: Error | null = null

  const expireLater = (origin: string, entry: Entry): void => {
    entry.expiry = setTimeout(() => {
      entries.delete(origin)
      entry.pool.destroy().catch(() => undefined)
    }, idleMs).unref()
  }

  return {
    use: async (origin, run) => {
      if (destroyed !== null) throw destroyed
      const entry = entries.get(origin) ?? { pool: new Pool(origin, options), users: 0, expiry: undefined }
      entries.set(origin, entry)
      clearTimeout(entry.expiry)
      entry.users += 1
      try {
        return await run(entry.pool)
      } finally {
        entry.users -= 1
        if (entry.users === 0 && destroyed === null) expireLater(origin, entry)
      }
    },
    destroy: async (reason) => {
      destroyed = reason
      for (const { expiry } of entries.values()) clearTimeout(expiry)
      await Promise.all([...entries.values()].map(({ pool }) => pool.destroy(reason)))
      entries.clear()
    },
  }
}
