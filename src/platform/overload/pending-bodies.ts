/** Requests whose body is still being received. */
export interface PendingBodies {
  readonly count: number
  /** Adds a body. Call the result when it has arrived. */
  add(abort: () => void): () => void
}

/**
 * Holds at most `max` bodies. One more aborts the oldest, so clients that send slowly can only
 * displace each other: a body that arrives with its headers is never the oldest.
 */
export function createPendingBodies(max: number, onAbort: () => void): PendingBodies {
  const pending = new Set<{ abort: () => void }>()
  return {
    get count() {
      return pending.size
    },
    add: (abort) => {
      const body = { abort }
      pending.add(body)
      const [oldest] = pending
      if (pending.size > max && oldest !== undefined) {
        pending.delete(oldest)
        onAbort()
        oldest.abort()
      }
      return () => pending.delete(body)
    },
  }
}
