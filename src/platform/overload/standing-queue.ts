import type { Clock } from '../clock.ts'
import type { PoolQueue } from './pool-queue.ts'

/** How long a queue may go without being empty once, and then how long it may make anyone wait, ms. */
export const PATIENCE_MS = 250

/**
 * Tells a queue that stands from one that takes up a burst. One that has not been empty for `patienceMs` has taken up no burst: it is told to be too long where more
 * waits than was worked through in the last `patienceMs`, since whoever comes last then waits longer than that (Little's law). CoDel (RFC 8289)
 * looks at how long the first one has waited, which is known only after too many have been let in.
 */
export function watchQueue(queue: PoolQueue, clock: Clock, patienceMs: number): () => boolean {
  let window: { since: number; taken: number } | null = null
  let workedThrough: number | null = null
  return () => {
    if (queue.length === 0) {
      window = null
      workedThrough = null
      return false
    }
    const now = clock.now()
    window ??= { since: now, taken: queue.taken }
    const elapsed = now - window.since
    if (elapsed >= patienceMs) {
      workedThrough = ((queue.taken - window.taken) * patienceMs) / elapsed
      window = { since: now, taken: queue.taken }
    }
    // What is worked on at once may wait as well, however long it takes: a lock is let go of at once.
    return workedThrough !== null && queue.length >= Math.max(workedThrough, queue.connections)
  }
}
