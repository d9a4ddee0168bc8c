import { Counter } from 'prom-client'
import { clientNetwork } from '../../domain/client-network.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Clock } from '../clock.ts'
import { addGauge, addLabelledGauge, type Metrics } from '../metrics/metrics.ts'

/** Under overload, `low` is refused first and `high` (signed by a wallet) last. */
export type Priority = 'low' | 'high'

/**
 * Why a request is refused. `in_flight`: too many requests are in flight. `queue_delay`: work waits
 * too long for a database connection. `turn_delay`: earlier requests of its client network took the
 * turns for too long.
 */
type ShedReason = 'in_flight' | 'queue_delay' | 'turn_delay'

/** Milliseconds in which the queue of the database is empty at least once, without overload. */
export const QUEUE_DELAY_MS = 250

/**
 * Milliseconds that a request may wait for a turn while the queue of its client network does not
 * become empty. With longer waits, waiting requests would use all connections of the client.
 */
export const MAX_TURN_WAIT_MS = 100

export interface AdmissionLimits {
  /** Requests of each priority in flight at once. */
  readonly inFlight: number
  readonly queueDelayMs?: number
}

export type Admission = ReturnType<typeof createAdmission>

export const admitAll: Admission = {
  admit: () => () => undefined,
  check: () => undefined,
}

/** Spreads the retries of refused clients over this time. */
const RETRY_SPREAD_SECONDS = 5

/** Decides which requests the process accepts, before it has done any work for them. */
export function createAdmission(options: {
  queue: PoolQueue
  clock: Clock
  limits: AdmissionLimits
  metrics?: Metrics
}) {
  const { queue, clock, limits, metrics } = options
  const isQueueDelayed = watchQueueDelay(queue, clock, limits.queueDelayMs ?? QUEUE_DELAY_MS)
  const inFlight = { low: 0, high: 0 }
  /** The requests in flight of each client network. */
  const clients = new Map<string, number>()
  const shed = metrics && measureAdmission(metrics, inFlight, queue)
  let refused = 0

  const findReason = (priority: Priority, client: string, waitedMs: number): ShedReason | null => {
    if (priority === 'low' && waitedMs > MAX_TURN_WAIT_MS) return 'turn_delay'
    if (inFlight[priority] >= limits.inFlight) return 'in_flight'
    if (priority === 'high' || !isQueueDelayed()) return null
    // A network with less than half of the average did not make the queue.
    const average = (inFlight.low + inFlight.high) / clients.size
    return (clients.get(client) ?? 0) + 1 < average / 2 ? null : 'queue_delay'
  }
  const check = (priority: Priority, clientIp: string, waitedMs = 0): void => {
    const reason = findReason(priority, clientNetwork(clientIp), waitedMs)
    if (reason === null) return
    shed?.inc({ priority, reason })
    refused += 1
    const seconds = 1 + ((refused - 1) % RETRY_SPREAD_SECONDS)
    throw new DomainError('OVERLOADED', { seconds }, { retryAfterSeconds: seconds })
  }
  return {
    /** Throws OVERLOADED if `admit` would. */
    check,
    /** Admits a request. Call the result when the request is done. Throws OVERLOADED. */
    admit: (priority: Priority, clientIp: string, waitedMs?: number): (() => void) => {
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

/** Work that waits for a database connection. */
export interface PoolQueue {
  /** Connections of the pool. */
  readonly connections: number
  readonly length: number
  /** How many times a connection was acquired so far. */
  readonly acquired: number
}

/**
 * Returns a function that tells whether new work would wait too long. A queue that was empty within
 * the last `delayMs` is a burst and never too long. After that the limit is the work finished in
 * the last `delayMs`: by Little's law, work that joins a longer queue waits longer than that.
 */
export function watchQueueDelay(queue: PoolQueue, clock: Clock, delayMs: number): () => boolean {
  let window: { since: number; acquired: number } | null = null
  let limit = Infinity
  return () => {
    if (queue.length === 0) {
      window = null
      limit = Infinity
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
    return queue.length >= limit
  }
}

/** Returns the counter of refused requests. */
function measureAdmission(metrics: Metrics, inFlight: Readonly<Record<Priority, number>>, queue: PoolQueue) {
  const about = {
    name: 'gateway_requests_in_flight',
    help: 'Requests being handled, without open streams and health checks',
    label: 'priority',
  }
  addLabelledGauge(metrics, about, () => inFlight)
  const queued = { name: 'gateway_database_queue_length', help: 'Work waiting for a database connection' }
  addGauge(metrics, queued, () => queue.length)
  return new Counter({
    name: 'gateway_requests_shed_total',
    help: 'Requests refused with 503 because of overload, by priority and reason',
    labelNames: ['priority', 'reason'],
    registers: [metrics],
  })
}
