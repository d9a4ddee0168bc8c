const MINUTE_MS = 60_000
/** Fractions of steps add up to rounding errors, which must not refuse a request. */
const TOLERANCE_MS = 0.5

/** The state of a client's limit after a request. Amounts are units: most requests cost one. */
export interface RateLimitState {
  /** Units per minute. */
  readonly limit: number
  /** Units that the client may use at once now. */
  readonly remaining: number
  /**
   * Seconds, rounded up, until the whole limit is available; after a refusal, until the request
   * would be allowed.
   */
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

/**
 * Counts units that were used already, also above the limit, and returns the time until the client
 * is within it again. A client is at most one limit above.
 */
export function spendUnits(
  arrival: number | undefined,
  now: number,
  limit: number,
  units: number,
): { arrival: number; waitMs: number } {
  const next = Math.min(Math.max(arrival ?? now, now) + (units * MINUTE_MS) / limit, now + 2 * MINUTE_MS)
  return { arrival: next, waitMs: Math.max(0, next - now - MINUTE_MS) }
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
