import { clientNetwork } from '../../domain/client-network.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Clock } from '../clock.ts'
import { createMemoryCounter, type RateLimitState } from './gcra.ts'
import { type GuardedKind, RATE_LIMIT_KINDS, type RateLimitNumbers } from './kinds.ts'

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
  chargeUsed(clientIp: string, units: number): number
  /**
   * Counts one request of a client and reports the result. Throws or rejects with RATE_LIMITED if
   * the limit is used up. Synchronous for kinds counted in memory.
   */
  count(kind: GuardedKind, clientIp: string, report?: Report): void | Promise<void>
}

/** Counts a request in the database, for all processes together. */
export type SharedCounter = (kind: string, client: string, limit: number) => Promise<RateLimitState>

/** Null for `limits` disables all. */
export function createRateLimits(options: {
  readonly sharedCounter: SharedCounter
  readonly clock: Clock
  readonly limits: RateLimitNumbers | null
}): RateLimits {
  const { sharedCounter, clock, limits } = options
  const memory = createMemoryCounter(clock, MAX_CLIENTS)
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
      checkWith(report)(memory.count(kind + clientNetwork(clientIp), max, units - paid))
    },
    chargeUsed: (clientIp, units) =>
      limits === null ? 0 : memory.countUsed(`reads${clientNetwork(clientIp)}`, limits.reads, units),
    count: (kind, clientIp, report) => {
      if (limits === null) return undefined
      const client = clientNetwork(clientIp)
      const check = checkWith(report)
      const own = memory.count(kind + client, limits[kind])
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
