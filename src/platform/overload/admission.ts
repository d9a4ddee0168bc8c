import { DomainError } from '../../domain/errors.ts'
import type { Clock } from '../clock.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { measureAdmission } from './metrics.ts'
import type { Priority } from './priority.ts'
import { type PoolQueue, QUEUE_DELAY_MS, watchQueueDelay } from './queue-delay.ts'

/**
 * Why a request is refused. `in_flight`: too many requests are in flight. `queue_full`: too much
 * work waits for a database connection. `queue_delay`: the queue has not been empty for some time.
 */
export type ShedReason = 'in_flight' | 'queue_full' | 'queue_delay'

export interface AdmissionLimits {
  /** Requests of each priority in flight at once. */
  readonly inFlight: number
  /** Work waiting for a database connection. Low priority may use half of it. */
  readonly databaseQueue: number
  readonly queueDelayMs?: number
}

/** Decides which requests the process accepts, before it has done any work for them. */
export interface Admission {
  /** Admits a request. Call the result when the request is done. Throws OVERLOADED. */
  admit(priority: Priority): () => void
  /** Throws OVERLOADED if `admit` would. */
  check(priority: Priority): void
}

export const admitAll: Admission = {
  admit: () => () => undefined,
  check: () => undefined,
}

/** Spreads the retries of refused clients over this time. */
const RETRY_SPREAD_SECONDS = 5

export function createAdmission(options: {
  queue: PoolQueue
  clock: Clock
  limits: AdmissionLimits
  metrics?: Metrics
}): Admission {
  const { queue, clock, limits, metrics } = options
  const isQueueDelayed = watchQueueDelay(queue, clock, limits.queueDelayMs ?? QUEUE_DELAY_MS)
  const inFlight = { low: 0, high: 0 }
  const counters = metrics && measureAdmission(metrics, { inFlight, waiting: () => queue.length })
  let refused = 0

  const findReason = (priority: Priority): ShedReason | null => {
    if (inFlight[priority] >= limits.inFlight) return 'in_flight'
    const queueLimit = priority === 'low' ? limits.databaseQueue / 2 : limits.databaseQueue
    if (queue.length >= queueLimit) return 'queue_full'
    return priority === 'low' && isQueueDelayed() ? 'queue_delay' : null
  }
  const check = (priority: Priority): void => {
    const reason = findReason(priority)
    if (reason === null) return
    counters?.shed.inc({ priority, reason })
    refused += 1
    const seconds = 1 + ((refused - 1) % RETRY_SPREAD_SECONDS)
    throw new DomainError('OVERLOADED', { seconds }, { retryAfterSeconds: seconds })
  }
  return {
    check,
    admit: (priority) => {
      check(priority)
      inFlight[priority] += 1
      let released = false
      return () => {
        if (!released) inFlight[priority] -= 1
        released = true
      }
    },
  }
}
