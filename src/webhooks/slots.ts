import PQueue from 'p-queue'
import type { WorkerLimits } from './limits.ts'

/**
 * Endpoints that recently answered fast are in the fast lane. New and slow endpoints are in the
 * slow lane, so that waiting for them costs no slot of the fast lane.
 */
export type Lane = 'fast' | 'slow'
export const LANES = ['fast', 'slow'] as const

/** First attempts (`pending`) and retries have slots of their own in each lane. */
export type DueStatus = 'pending' | 'retrying'

/** The largest share of a lane that each may use. An eighth is always free for retries. */
const MAX_SHARE = { pending: 7 / 8, retrying: 1 / 2 }

/** The attempts in flight in this process. */
export interface Slots {
  /** How many there are, free or not. */
  all(lane: Lane, status: DueStatus): number
  /** How many attempts can start now. */
  free(lane: Lane, status: DueStatus): number
  inFlight(lane: Lane): number
  /** Starts at once: callers start only as many as are free. */
  start(lane: Lane, status: DueStatus, attempt: () => Promise<void>): void
  /** Resolves when no attempt is in flight. */
  onIdle(): Promise<void>
}

/** Calls `onFree` when an attempt ends. */
export function createSlots(limits: WorkerLimits, onFree: () => void): Slots {
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
  const queues = LANES.flatMap((lane) => [lanes[lane].pending, lanes[lane].retrying])
  const inFlight = (lane: Lane): number => lanes[lane].pending.pending + lanes[lane].retrying.pending
  return {
    all: (lane, status) => lanes[lane][status].concurrency,
    free: (lane, status) => {
      const { concurrency, pending } = lanes[lane][status]
      return Math.max(0, Math.min(concurrency - pending, lanes[lane].slots - inFlight(lane)))
    },
    inFlight,
    start: (lane, status, attempt) => void lanes[lane][status].add(attempt),
    onIdle: async () => {
      await Promise.all(queues.map((queue) => queue.onIdle()))
    },
  }
}
