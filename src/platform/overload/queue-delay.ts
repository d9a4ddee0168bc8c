import type { Clock } from '../clock.ts'

/** Work that waits for a database connection. */
export interface PoolQueue {
  /** Connections of the pool. */
  readonly connections: number
  readonly length: number
  /** How many times a connection was acquired so far. */
  readonly acquired: number
}

/** Milliseconds. */
export const QUEUE_DELAY_MS = 250

/**
 * Returns a function that tells whether new work would wait too long. A queue that was empty within
 * the last `delayMs` is a burst and never too long. After that the limit is the work finished in
 * the last `delayMs`: by Little's law, work that joins a longer queue waits longer than that.
 */
export function watchQueueDelay(queue: PoolQueue, clock: Clock, delayMs: number): () => boolean {
  let window: { since: number; acquired: number } | null = null
  let limit: number | null = null
  return () => {
    if (queue.length === 0) {
      window = null
      limit = null
      return false
    }
    const now = clock.now()
    window ??= { since: now, acquired: queue.acquired }
    const elapsed = now - window.since
    if (elapsed >= delayMs) {
      const workDone = ((queue.acquired - window.acquired) * delayMs) / elapsed
      // A lock can stop all work for a moment, so as many as there are connections may always wait.
      limit = Math.max(workDone, queue.connections)
      window = { since: now, acquired: queue.acquired }
    }
    return limit !== null && queue.length >= limit
  }
}
