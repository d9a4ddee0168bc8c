const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Waits before each attempt, in milliseconds: the example of Standard Webhooks, 10 attempts within 75 h 35 min 5 s. */
export const RETRY_SCHEDULE: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

const JITTER = 0.2
const MIN_RETRY_AFTER_MS = SECOND
const MAX_RETRY_AFTER_MS = HOUR
/** An address that is refused will hardly be another one in seconds. */
const BLOCKED_MS = 30 * MINUTE

/** How long a receiver that asked for time (Retry-After) is left alone; null when it did not. */
export function pauseOf(retryAfterMs: number | undefined): number | null {
  if (retryAfterMs === undefined || !Number.isFinite(retryAfterMs)) return null
  return Math.round(Math.min(Math.max(retryAfterMs, MIN_RETRY_AFTER_MS), MAX_RETRY_AFTER_MS))
}

/**
 * The wait before the next attempt in milliseconds, ±20 %; null when that was the last.
 * `step` counts the failures before this one; `random` is in [0, 1).
 */
export function retryDelay(
  step: number,
  failure: { errorCode?: string | undefined; pauseMs: number | null },
  random: () => number,
): number | null {
  const base = RETRY_SCHEDULE[step + 1]
  if (base === undefined) return null
  const least = Math.max(failure.pauseMs ?? 0, failure.errorCode === 'ssrf_blocked' ? BLOCKED_MS : 0)
  return Math.round(Math.max(base * (1 - JITTER + 2 * JITTER * random()), least))
}
