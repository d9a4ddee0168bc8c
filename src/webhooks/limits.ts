/** Concurrency and timings of a worker. Times are in milliseconds. */
export const WORKER_LIMITS = {
  /** Attempts in flight in this process to endpoints that recently answered fast. */
  concurrency: 768,
  /** Attempts in flight in this process to new and slow endpoints: a quarter of all. */
  slowConcurrency: 256,
  /** Attempts in flight to one webhook, over all processes. One of them is reserved for retries. */
  perEndpoint: 4,
  /** Attempts in flight to one site, over all processes. One of them is reserved for retries. */
  perSite: 40,
  /** Total time of one attempt. The sender enforces it. */
  deadlineMs: 15_000,
  /** The same for first attempts to an endpoint that is new, or that has failed once or twice. */
  firstDeadlineMs: 5_000,
  /**
   * How long a claim is valid. It must be well above the deadline, or two workers could send at
   * once.
   */
  leaseMs: 35_000,
  /** Longest time between two polls. */
  pollMs: 400,
  /** Time between two searches for expired leases. */
  reclaimMs: 5_000,
  /** Number of claims without an outcome that count as a failed attempt. */
  maxClaims: 5,
  /** Delay after an internal error, which is not the receiver's failure. */
  internalErrorDelayMs: 30_000,
}

/** An endpoint is fast if the moving average of its attempts is below this time in ms. */
export const FAST_MS = 1_000

export type WorkerLimits = Readonly<typeof WORKER_LIMITS>

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/**
 * Delay before each attempt in milliseconds, from the example of Standard Webhooks: 10 attempts
 * within 75 h 35 min 5 s.
 */
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

/** The position in the schedule of a last attempt. A request of an owner causes only one. */
export const LAST_STEP = RETRY_SCHEDULE.length - 1

const JITTER = 0.2
/** A blocked address rarely becomes a public one within seconds. */
const BLOCKED_MS = 30 * MINUTE

/**
 * Returns the delay before the next attempt in milliseconds, ±20 %, or null after the last
 * attempt. `step` counts the failures before this one. `random` is in [0, 1).
 */
export function retryDelay(
  step: number,
  failure: { errorCode?: string | undefined; retryAfterMs?: number | undefined },
  random: () => number,
): number | null {
  const base = RETRY_SCHEDULE[step + 1]
  if (base === undefined) return null
  const jittered = base * (1 - JITTER + 2 * JITTER * random())
  const minimum = failure.errorCode === 'ssrf_blocked' ? BLOCKED_MS : 0
  return Math.round(Math.max(jittered, minimum, failure.retryAfterMs ?? 0))
}
