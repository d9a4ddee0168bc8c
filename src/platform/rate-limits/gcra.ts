import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.ts'

const MINUTE_MS = 60_000
/** Fractions of steps add up to rounding errors, which must not refuse a request. */
const TOLERANCE_MS = 0.5

/** The state of a client's limit after a request. Amounts are units: most requests cost one. */
export interface RateLimitState {
  /** Units per minute. */
  readonly limit: number
  /** Units that the client may use at once now. */
  readonly remaining: number
  /** Seconds until the whole limit is available; after a refusal, until the request would be. */
  readonly resetSeconds: number
  readonly allowed: boolean
}

/**
 * The generic cell rate algorithm (GCRA). `arrival` is the theoretical arrival time, in ms: the
 * time at which the client's whole limit is available again. Each unit adds a minute / limit to it,
 * up to one minute from now.
 */
export function countRequest(
  arrival: number | undefined,
  now: number,
  limit: number,
  units = 1,
): { arrival: number; state: RateLimitState } {
  const current = Math.max(arrival ?? now, now)
  const next = current + (units * MINUTE_MS) / limit
  const allowed = next - now <= MINUTE_MS + TOLERANCE_MS
  const counted = allowed ? next : current
  return { arrival: counted, state: stateAt(counted, now, limit, allowed, units) }
}

export function stateAt(
  arrival: number,
  now: number,
  limit: number,
  allowed: boolean,
  units = 1,
): RateLimitState {
  const step = MINUTE_MS / limit
  const ahead = arrival - now
  return {
    limit,
    remaining: Math.max(0, Math.floor((MINUTE_MS - ahead + TOLERANCE_MS) / step)),
    resetSeconds: Math.max(1, Math.ceil((allowed ? ahead : ahead + units * step - MINUTE_MS) / 1000)),
    allowed,
  }
}

/** Counts in the memory of this process. Forgets the client seen least recently first. */
export function createMemoryCounter(clock: Clock, maxClients: number) {
  const arrivals = new LRUCache<string, number>({ max: maxClients })
  return {
    /** Counts units if as many are left. */
    count: (client: string, limit: number, units = 1): RateLimitState => {
      const { arrival, state } = countRequest(arrivals.get(client), clock.now(), limit, units)
      arrivals.set(client, arrival)
      return state
    },
    /** Counts used units, also above the limit. Returns the ms until the client is within it. */
    countUsed: (client: string, limit: number, units: number): number => {
      const now = clock.now()
      const next = Math.max(arrivals.get(client) ?? now, now) + (units * MINUTE_MS) / limit
      const arrival = Math.min(next, now + 2 * MINUTE_MS)
      arrivals.set(client, arrival)
      return Math.max(0, arrival - now - MINUTE_MS)
    },
  }
}
