import { clientNetwork } from '../../domain/client-network.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Clock } from '../clock.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { measureAdmission } from './metrics.ts'
import type { Priority } from './priority.ts'
import { type PoolQueue, QUEUE_DELAY_MS, watchQueueDelay } from './queue-delay.ts'

/**
 * Why a request is refused. `in_flight`: too many requests are in flight. `queue_full`: too much
 * work waits for a database connection. `queue_delay`: the queue has not been empty for some time.
 * `turn_delay`: earlier requests of its client network took the turns for too long.
 */
export type ShedReason = 'in_flight' | 'queue_full' | 'queue_delay' | 'turn_delay'

/**
 * Milliseconds that a request may wait for a turn of its client network, while others of it always
 * wait. Longer waits keep the connections of a proxy from its other clients.
 */
export const MAX_TURN_WAIT_MS = 100

export interface AdmissionLimits {
  /** Requests of each priority in flight at once. */
  readonly inFlight: number
  /** Work waiting for a database connection. Low priority may use half of it. */
  readonly databaseQueue: number
  readonly queueDelayMs?: number
}

/** Decides which requests the process accepts, before it has done any work for them. */
export interface Admission {
  /**
   * Admits a request, which has waited for a turn. Call the result when the request is done. Throws
   * OVERLOADED.
   */
  admit(priority: Priority, clientIp: string, waitedMs?: number): () => void
  /** Throws OVERLOADED if `admit` would. */
  check(priority: Priority, clientIp: string, waitedMs?: number): void
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
  const clients = new Map<string, number>()
  const counters = metrics && measureAdmission(metrics, { inFlight, waiting: () => queue.length })
  let refused = 0

  const findReason = (priority: Priority, client: string, waitedMs: number): ShedReason | null => {
    if (priority === 'low' && waitedMs > MAX_TURN_WAIT_MS) return 'turn_delay'
    if (inFlight[priority] >= limits.inFlight) return 'in_flight'
    const queueLimit = priority === 'low' ? limits.databaseQueue / 2 : limits.databaseQueue
    if (queue.length >= queueLimit) return 'queue_full'
    if (priority === 'high' || !isQueueDelayed()) return null
    // A network with less than half of the average did not make the queue.
    const average = (inFlight.low + inFlight.high) / clients.size
    return (clients.get(client) ?? 0) + 1 < average / 2 ? null : 'queue_delay'
  }
  const check = (priority: Priority, clientIp: string, waitedMs = 0): void => {
    const reason = findReason(priority, clientNetwork(clientIp), waitedMs)
    if (reason === null) return
    counters?.shed.inc({ priority, reason })
    refused += 1
    const seconds = 1 + ((refused - 1) % RETRY_SPREAD_SECONDS)
    throw new DomainError('OVERLOADED', { seconds }, { retryAfterSeconds: seconds })
  }
  return {
    check,
    admit: (priority, clientIp, waitedMs) => {
      check(priority, clientIp, waitedMs)
      const client = clientNetwork(clientIp)
      const add = (count: 1 | -1): void => {
        inFlight[priority] += count
        const own = (clients.get(client) ?? 0) + count
        if (own > 0) clients.set(client, own)
        else clients.delete(client)
      }
      add(1)
      let released = false
      return () => {
        if (!released) add(-1)
        released = true
      }
    },
  }
}
