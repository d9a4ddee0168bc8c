import type { Clock } from '../clock.ts'

export interface FreshValue<Value> {
  /** A value of at most `usableMs`; asks only where there is none. An older one than `freshMs` is renewed in the background. */
  get(): Promise<Value>
  /** The next `get` asks anew. */
  invalidate(): void
}

/** Keeps a value that is asked for often and changes slowly, so that callers need not wait for it. */
export function freshValue<Value>(options: {
  load: () => Promise<Value>
  /** Milliseconds. */
  freshMs: number
  usableMs: number
  clock: Clock
}): FreshValue<Value> {
  const { load, freshMs, usableMs, clock } = options
  let known: { value: Value; at: number } | null = null
  let loading: Promise<Value> | null = null

  const renew = (): Promise<Value> => {
    const at = clock.now()
    const renewal: Promise<Value> = load()
      .then((value) => {
        if (loading === renewal) known = { value, at }
        return value
      })
      .finally(() => {
        if (loading === renewal) loading = null
      })
    loading = renewal
    return renewal
  }

  return {
    get: async () => {
      const age = known === null ? Infinity : clock.now() - known.at
      if (known === null || age >= usableMs) return loading ?? renew()
      if (age >= freshMs && loading === null) renew().catch(() => undefined)
      return known.value
    },
    invalidate: () => {
      known = null
      loading = null
    },
  }
}
