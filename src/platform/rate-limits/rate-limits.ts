import { LRUCache } from 'lru-cache'
import { clientNetwork } from '../../domain/client-network.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Clock } from '../clock.ts'
import { countRequest, type RateLimitState, spendUnits } from './gcra.ts'
import { type GuardedKind, RATE_LIMIT_KINDS, type RateLimitKind, type RateLimitNumbers } from './kinds.ts'

/** Clients that are remembered, for all kinds. The least recently seen one is forgotten first. */
const MAX_CLIENTS = 200_000

type Report = (state: RateLimitState) => void

export interface RateLimits {
  /**
   * Charges units of the client's `reads` limit, or `files`, counted in memory, and reports the
   * result. `paid` of them were charged before. Throws RATE_LIMITED if too few are left, and
   * REQUEST_TOO_EXPENSIVE if the limit is lower than `units`.
   */
  charge(
    clientIp: string,
    units: number,
    options?: { kind?: 'reads' | 'files'; paid?: number; report?: Report },
  ): void
  /**
   * Charges units of `reads`, or parts of one, for what was done already, also above the limit. It
   * returns the time in ms until the client is within its limit again.
   */
  spend(clientIp: string, units: number): number
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
  const arrivals = new LRUCache<string, number>({ max: MAX_CLIENTS })
  const changeArrival = <Result extends { readonly arrival: number }>(
    kind: RateLimitKind,
    client: string,
    change: (arrival: number | undefined, now: number) => Result,
  ): Result => {
    const result = change(arrivals.get(kind + client), clock.now())
    arrivals.set(kind + client, result.arrival)
    return result
  }
  const countInMemory = (kind: RateLimitKind, client: string, limit: number, units: number): RateLimitState =>
    changeArrival(kind, client, (arrival, now) => countRequest(arrival, now, limit, units)).state
  const checkWith =
    (report: Report | undefined) =>
    (state: RateLimitState): void => {
      report?.(state)
      if (!state.allowed) throw rateLimited(state)
    }
  return {
    charge: (clientIp, units, { kind = 'reads', paid = 0, report } = {}) => {
      if (limits === null || units <= paid) return
      const max = limits[kind]
      if (units > max) throw new DomainError('REQUEST_TOO_EXPENSIVE', { units, max })
      checkWith(report)(countInMemory(kind, clientNetwork(clientIp), max, units - paid))
    },
    spend: (clientIp, units) => {
      if (limits === null) return 0
      return changeArrival('reads', clientNetwork(clientIp), (arrival, now) =>
        spendUnits(arrival, now, limits.reads, units),
      ).waitMs
    },
    count: (kind, clientIp, report) => {
      if (limits === null) return undefined
      const client = clientNetwork(clientIp)
      const check = checkWith(report)
      const own = countInMemory(kind, client, limits[kind], 1)
      // What this process alone would refuse must not wait for a database connection.
      if (RATE_LIMIT_KINDS[kind].countedIn === 'memory' || !own.allowed) return check(own)
      return sharedCounter(kind, client, limits[kind]).then(check)
    },
  }
}

export function rateLimited({ limit, resetSeconds }: RateLimitState): DomainError {
  return new DomainError(
    'RATE_LIMITED',
    { limit, seconds: resetSeconds },
    { retryAfterSeconds: resetSeconds },
  )
}
