import type { Clock } from '../clock.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { createArrivals } from './arrivals.ts'
import { measureAdmission } from './metrics.ts'
import type { ShedOrder, ShedReason } from './shed.ts'
import { PATIENCE_MS, watchQueue } from './standing-queue.ts'
import type { PoolQueue } from './pool-queue.ts'

export interface AdmissionLimits {
  /** Requests of each order that may be in hand at once, and bodies that may be under way; bounds memory where something other than the database is slow. */
  readonly inHand: number
  /** Work that may wait for a connection to the database before anything is refused; what is shed first may fill half of it. */
  readonly waiting: number
  readonly patienceMs?: number
}

/** Decides what the process takes in hand, before it has cost anything. */
export interface Admission {
  /** Takes a request in hand; call what it gives, once or more often, when it is answered. Throws OVERLOADED. */
  take(order: ShedOrder): () => void
  /** Counts a request whose body is under way; `cut` is called where there are too many and it has taken longest. Call what it gives when the body is there. */
  arrive(cut: () => void): () => void
  /** The same for an operation of a stream that is open already and counts as such. */
  check(order: ShedOrder): void
}

/** For where nothing is to be refused. */
export const admitAll: Admission = {
  take: () => () => undefined,
  arrive: () => () => undefined,
  check: () => undefined,
}

/** Clients that all came back in the same second would be too many again. */
const RETRY_SPREAD_SECONDS = 5

export function createAdmission(options: {
  queue: PoolQueue
  clock: Clock
  limits: AdmissionLimits
  metrics?: Metrics
}): Admission {
  const { queue, clock, limits, metrics } = options
  const stands = watchQueue(queue, clock, limits.patienceMs ?? PATIENCE_MS)
  const inHand = { first: 0, last: 0 }
  const told = measureAdmission({
    metrics,
    inHand,
    arriving: () => arrivals.length,
    waiting: () => queue.length,
  })
  const arrivals = createArrivals(limits.inHand, () => told.cut())
  let refused = 0

  const reasonAgainst = (order: ShedOrder): ShedReason | null => {
    if (inHand[order] >= limits.inHand) return 'in_hand'
    if (queue.length >= (order === 'first' ? limits.waiting / 2 : limits.waiting)) return 'queue_full'
    return order === 'first' && stands() ? 'queue_stands' : null
  }
  const check = (order: ShedOrder): void => {
    const reason = reasonAgainst(order)
    if (reason === null) return
    told.shed(order, reason)
    const seconds = 1 + (refused++ % RETRY_SPREAD_SECONDS)
    throw new DomainError('OVERLOADED', { seconds }, { retryAfterSeconds: seconds })
  }
  return {
    check,
    arrive: (cutOff) => arrivals.add(cutOff),
    take: (order) => {
      check(order)
      inHand[order] += 1
      let answered = false
      return () => {
        if (!answered) inHand[order] -= 1
        answered = true
      }
    },
  }
}
