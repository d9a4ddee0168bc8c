import type { Clock } from '../clock.ts'
import type { PoolQueue } from '../db/pool-queue.ts'

/** How long a queue may go without being empty once, ms: it has then taken up no burst, it makes everyone wait. */
export const PATIENCE_MS = 100

/**
 * Tells a queue that stands from one that takes up a burst, as CoDel does (RFC 8289): a queue that has not been empty for `patienceMs`
 * gains nothing by being longer than what is worked on at once.
 */
export function watchQueue(queue: PoolQueue, clock: Clock, patienceMs: number): () => boolean {
  let fullSince: number | null = null
  return () => {
    if (queue.length === 0) {
      fullSince = null
      return false
    }
    fullSince ??= clock.now()
    return queue.length >= queue.connections && clock.now() - fullSince >= patienceMs
  }
}
