import { LRUCache } from 'lru-cache'
import { clientNetwork } from '../../domain/client-network.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Clock } from '../clock.ts'
import { countRequest, type RateLimitState } from './gcra.ts'
import { type GuardedKind, RATE_LIMIT_KINDS, type RateLimitKind, type RateLimitNumbers } from './kinds.ts'

/** Clients remembered per kind. The least recently seen client is forgotten first. */
const MAX_CLIENTS = 50_000

type Report = (state: RateLimitState) => void

export interface RateLimits {
  /**
   * Charges units of the client's `reads` limit, counted in memory, and reports the result. `paid`
   * of them were charged before. Throws RATE_LIMITED if too few are left, and REQUEST_TOO_EXPENSIVE
   * if the limit is lower than `units`.
   */
  charge(clientIp: string, units: number, options?: { paid?: number; report?: Report }): void
  /**
   * Counts one request of a client and reports the result. Throws or rejects with RATE_LIMITED if
   * the limit is used up. Synchronous for kinds counted in memory.
   */
  count(kind: GuardedKind, clientIp: string, report?: Report): void | Promise<void>
}

/** Counts a request in the database, for all processes together. */
export type SharedCounter = (kind: string, client: string, limit: number) => Promise<RateLimitState>

export interface RateLimitOptions {
  readonly sharedCounter: SharedCounter
  readonly clock: Clock
  /** Null disables all limits. */
  readonly limits: RateLimitNumbers | null
}

export function createRateLimits({ sharedCounter, clock, limits }: RateLimitOptions): RateLimits {
  const countInMemory = createMemoryCounter(clock)
  const checkWith =
    (report: Report | undefined) =>
    (state: RateLimitState): void => {
      report?.(state)
      if (!state.allowed) throw rateLimited(state)
    }
  return {
    charge: (clientIp, units, { paid = 0, report } = {}) => {
      if (limits === null || units <= paid) return
      if (units > limits.reads) throw new DomainError('REQUEST_TOO_EXPENSIVE', { units, max: limits.reads })
      checkWith(report)(countInMemory('reads', clientNetwork(clientIp), limits.reads, units - paid))
    },
    count: (kind, clientIp, report) => {
      if (limits === null) return undefined
      const client = clientNetwork(clientIp)
      const check = checkWith(report)
      if (RATE_LIMIT_KINDS[kind].countedIn === 'memory')
        return check(countInMemory(kind, client, limits[kind]))
      return sharedCounter(kind, client, limits[kind]).then(check)
    },
  }
}

function createMemoryCounter(clock: Clock) {
  const kinds = new Map<RateLimitKind, LRUCache<string, number>>()
  return (kind: RateLimitKind, client: string, limit: number, units = 1): RateLimitState => {
    const arrivals = kinds.get(kind) ?? new LRUCache<string, number>({ max: MAX_CLIENTS })
    kinds.set(kind, arrivals)
    const { arrival, state } = countRequest(arrivals.get(client), clock.now(), limit, units)
    arrivals.set(client, arrival)
    return state
  }
}

export function rateLimited({ limit, resetSeconds }: RateLimitState): DomainError {
  return new DomainError(
    'RATE_LIMITED',
    { limit, seconds: resetSeconds },
    { retryAfterSeconds: resetSeconds },
  )
}
