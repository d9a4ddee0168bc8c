import PQueue from 'p-queue'
import type { WorkerLimits } from './limits.ts'

/**
 * Endpoints that recently answered fast are in the fast lane. New and slow endpoints are in the
 * slow lane, so that waiting for them costs no slot of the fast lane.
 */
export type Lane = 'fast' | 'slow'
const LANES = ['fast', 'slow'] as const

/** First attempts (`pending`) and retries have slots of their own in each lane. */
export type DueStatus = 'pending' | 'retrying'

/** The largest share of a lane that each may use. An eighth is always free for retries. */
const MAX_SHARE = { pending: 7 / 8, retrying: 1 / 2 }

export type Slots = ReturnType<typeof createSlots>

/** The attempts in flight in this process. Calls `onFree` when one ends. */
export function createSlots(limits: WorkerLimits, onFree: () => void) {
  const createQueue = (slots: number, share: number): PQueue => {
    const queue = new PQueue({ concurrency: Math.max(1, Math.floor(slots * share)) })
    queue.addEventListener('next', onFree)
    return queue
  }
  const createLane = (slots: number) => ({
    slots,
    pending: createQueue(slots, MAX_SHARE.pending),
    retrying: createQueue(slots, MAX_SHARE.retrying),
  })
  const lanes = { fast: createLane(limits.concurrency), slow: createLane(limits.slowConcurrency) }
  const inFlight = (lane: Lane): number => lanes[lane].pending.pending + lanes[lane].retrying.pending
  return {
    /** All slots that attempts with this status can use. */
    all: (lane: Lane, status: DueStatus): number => lanes[lane][status].concurrency,
    /** How many of them can start now. */
    free: (lane: Lane, status: DueStatus): number => {
      const { concurrency, pending } = lanes[lane][status]
      return Math.max(0, Math.min(concurrency - pending, lanes[lane].slots - inFlight(lane)))
    },
    inFlight,
    /** Starts at once: callers start only as many as are free. */
    start: (lane: Lane, status: DueStatus, attempt: () => Promise<void>): void =>
      void lanes[lane][status].add(attempt),
    /** Resolves when no attempt is in flight. */
    onIdle: async (): Promise<void> => {
      for (const lane of LANES) {
        await lanes[lane].pending.onIdle()
        await lanes[lane].retrying.onIdle()
      }
    },
  }
}
