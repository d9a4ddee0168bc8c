import type { Clock } from '../clock.ts'

export interface CachedValue<Value> {
  /** The value if there is no need to wait for it, and what `get` returns otherwise. */
  current(): Value | Promise<Value>
  get(): Promise<Value>
  /** The next `get` loads a new value. */
  invalidate(): void
}

/**
 * Caches one value. Up to the age `freshMs` it is returned as it is, up to `maxAgeMs` it is
 * returned and reloaded in the background, and after that the caller waits for the reload.
 */
export function cachedValue<Value>(options: {
  load: () => Promise<Value>
  /** Milliseconds. */
  freshMs: number
  maxAgeMs: number
  clock: Clock
}): CachedValue<Value> {
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

  const current = (): Value | Promise<Value> => {
    const age = cached === null ? Infinity : clock.now() - cached.loadedAt
    if (cached === null || age >= maxAgeMs) return loading ?? reload()
    if (age >= freshMs && loading === null) reload().catch(() => undefined)
    return cached.value
  }

  return {
    current,
    get: async () => current(),
    invalidate: () => {
      cached = null
      loading = null
    },
  }
}
