import { Pool } from 'undici'

export interface Pools {
  /** Lends the connections to an origin until `run` has ended. */
  use<Result>(origin: string, run: (pool: Pool) => Promise<Result>): Promise<Result>
  /** What still runs fails with `reason`. */
  destroy(reason: Error): Promise<void>
}

interface Entry {
  readonly pool: Pool
  users: number
  forget: NodeJS.Timeout | undefined
}

/**
 * One pool for each origin, forgotten when it was not used for `idleMs`. undici's Agent does the same, but keeps for ever the pool of an
 * origin whose last request was aborted: strangers who answer nothing under ever new names would fill the memory.
 */
export function createPools(options: Pool.Options, idleMs: number): Pools {
  const entries = new Map<string, Entry>()
  let destroyed: Error | null = null

  const entryOf = (origin: string): Entry => {
    const known = entries.get(origin)
    if (known !== undefined) return known
    const entry = { pool: new Pool(origin, options), users: 0, forget: undefined }
    entries.set(origin, entry)
    return entry
  }

  const forgetLater = (origin: string, entry: Entry): void => {
    entry.forget = setTimeout(() => {
      entries.delete(origin)
      entry.pool.destroy().catch(() => undefined)
    }, idleMs).unref()
  }

  return {
    use: async (origin, run) => {
      if (destroyed !== null) throw destroyed
      const entry = entryOf(origin)
      clearTimeout(entry.forget)
      entry.users += 1
      try {
        return await run(entry.pool)
      } finally {
        entry.users -= 1
        if (entry.users === 0 && destroyed === null) forgetLater(origin, entry)
      }
    },
    destroy: async (reason) => {
      destroyed = reason
      for (const { forget } of entries.values()) clearTimeout(forget)
      await Promise.all([...entries.values()].map(({ pool }) => pool.destroy(reason)))
      entries.clear()
    },
  }
}
