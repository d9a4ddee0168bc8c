import type { Clock } from '../clock.ts'

export type CachedValue<Value> = ReturnType<typeof cachedValue<Value>>

/** Reloads a value older than `freshMs` in the background, and waits for it after `maxAgeMs`. */
export function cachedValue<Value>(options: {
  load: () => Promise<Value>
  /** Milliseconds. */
  freshMs: number
  maxAgeMs: number
  clock: Clock
}) {
  const { load, freshMs, maxAgeMs, clock } = options
  let cached: { value: Value; loadedAt: number } | null = null
  let loading: Promise<Value> | null = null

  const reload = (): Promise<Value> => {
    const loadedAt = clock.now()
    const request: Promise<Value> = load()
      .then((value) => {
        if (loading === request) cached = { value, loadedAt }
        return value
      })
      .finally(() => {
        if (loading === request) loading = null
      })
    loading = request
    return request
  }

  return {
    get: async (): Promise<Value> => {
      const age = cached === null ? Infinity : clock.now() - cached.loadedAt
      // The age is not known after the clock was set back.
      if (cached === null || age >= maxAgeMs || age < 0) return loading ?? reload()
      if (age >= freshMs && loading === null) reload().catch(() => undefined)
      return cached.value
    },
    /** The next `get` loads a new value. */
    invalidate: (): void => {
      cached = null
      loading = null
    },
  }
}
