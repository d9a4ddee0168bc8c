import { LRUCache } from 'lru-cache'
import { clientNetwork } from '../../domain/client-network.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Clock } from '../clock.ts'
import { countRequest, type RateLimitState } from './gcra.ts'
import { RATE_LIMIT_KINDS, type RateLimitKind, type RateLimitNumbers } from './kinds.ts'

/** Clients remembered per kind. The least recently seen client is forgotten first. */
const MAX_CLIENTS = 50_000

export interface RateLimits {
  /**
   * Counts one request of a client and reports the result. Throws or rejects with RATE_LIMITED if
   * the limit is used up. Synchronous for kinds counted in memory.
   */
  count(kind: RateLimitKind, clientIp: string, report?: (state: RateLimitState) => void): void | Promise<void>
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
  return {
    count: (kind, clientIp, report) => {
      if (limits === null) return undefined
      const client = clientNetwork(clientIp)
      const check = (state: RateLimitState): void => {
        report?.(state)
        if (!state.allowed) throw rateLimited(state)
      }
      if (RATE_LIMIT_KINDS[kind].countedIn === 'memory')
        return check(countInMemory(kind, client, limits[kind]))
      return sharedCounter(kind, client, limits[kind]).then(check)
    },
  }
}

function createMemoryCounter(clock: Clock) {
  const kinds = new Map<RateLimitKind, LRUCache<string, number>>()
  return (kind: RateLimitKind, client: string, limit: number): RateLimitState => {
    const arrivals = kinds.get(kind) ?? new LRUCache<string, number>({ max: MAX_CLIENTS })
    kinds.set(kind, arrivals)
    const { arrival, state } = countRequest(arrivals.get(client), clock.now(), limit)
    arrivals.set(client, arrival)
    return state
  }
}

function rateLimited({ limit, resetSeconds }: RateLimitState): DomainError {
  return new DomainError(
    'RATE_LIMITED',
    { limit, seconds: resetSeconds },
    { retryAfterSeconds: resetSeconds },
  )
}
