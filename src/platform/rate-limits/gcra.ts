const MINUTE_MS = 60_000

/** Where a client stands after a request. */
export interface RateLimitState {
  /** Requests a minute. */
  readonly limit: number
  /** How many more are allowed at once now. */
  readonly remaining: number
  /** Seconds until the whole limit is there again, or, of a refused request, until the next is allowed. Rounded up. */
  readonly resetSeconds: number
  readonly allowed: boolean
}

/**
 * The generic cell rate algorithm. `arrival` is the theoretical arrival time, in milliseconds: the time at which the client's whole limit is
 * there again. Each request moves it on by a minute / limit; it may be at most a minute ahead.
 */
export function countRequest(
  arrival: number | undefined,
  now: number,
  limit: number,
): { arrival: number; state: RateLimitState } {
  const step = MINUTE_MS / limit
  const from = Math.max(arrival ?? now, now)
  const next = from + step
  // Fractions of steps add up; half a millisecond makes no difference to anybody.
  const allowed = next - now <= MINUTE_MS + 0.5
  return { arrival: allowed ? next : from, state: stateAt(allowed ? next : from, now, limit, allowed) }
}

export function stateAt(arrival: number, now: number, limit: number, allowed: boolean): RateLimitState {
  const step = MINUTE_MS / limit
  const ahead = arrival - now
  return {
    limit,
    remaining: allowed ? Math.max(0, Math.floor((MINUTE_MS - ahead + 0.5) / step)) : 0,
    resetSeconds: Math.max(1, Math.ceil((allowed ? ahead : ahead + step - MINUTE_MS) / 1000)),
    allowed,
  }
}
