import type { Clock } from '../clock.ts'
import { clientNetwork } from '../../domain/client-network.ts'
import { DomainError } from '../../domain/errors.ts'
import type { RateLimitState } from './gcra.ts'
import { RATE_LIMIT_KINDS, type RateLimitKind, type RateLimitNumbers } from './kinds.ts'
import { createMemoryCounter } from './memory-counter.ts'

export interface RateLimits {
  /**
   * Counts one request of a client. Synchronous for kinds counted in memory. Calls `tell` with where the client stands, and then throws or rejects with
   * RATE_LIMITED where the limit is used up. Calls from inside, without an address, are not counted.
   */
  take(kind: RateLimitKind, clientIp: string, tell: (state: RateLimitState) => void): void | Promise<void>
}

/** Counts a request of a client where all replicas count together. */
export type SharedCounter = (kind: string, client: string, limit: number) => Promise<RateLimitState>

export interface RateLimitOptions {
  readonly sharedCounter: SharedCounter
  readonly clock: Clock
  /** Null switches limits off. */
  readonly limits: RateLimitNumbers | null
}

export function createRateLimits({ sharedCounter, clock, limits }: RateLimitOptions): RateLimits {
  const inMemory = createMemoryCounter(clock)
  return {
    take: (kind, clientIp, tell) => {
      if (limits === null || clientIp === '') return undefined
      const client = clientNetwork(clientIp)
      const check = (state: RateLimitState): void => {
        tell(state)
        if (!state.allowed) throw refusal(state)
      }
      if (RATE_LIMIT_KINDS[kind].countedIn === 'memory') return check(inMemory(kind, client, limits[kind]))
      return sharedCounter(kind, client, limits[kind]).then(check)
    },
  }
}

function refusal({ limit, resetSeconds }: RateLimitState): DomainError {
  return new DomainError(
    'RATE_LIMITED',
    { limit, seconds: resetSeconds },
    { retryAfterSeconds: resetSeconds },
  )
}
