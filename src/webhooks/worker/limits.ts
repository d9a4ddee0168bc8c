/** Concurrency and timings of a worker. Times are in milliseconds. */
export const WORKER_LIMITS = {
  /** Attempts in flight in this process. */
  concurrency: 256,
  /** Attempts in flight to one webhook, over all processes. */
  perEndpoint: 4,
  /** Attempts in flight to one host, over all processes. */
  perHost: 32,
  /** Total time of one attempt. The sender enforces it. */
  deadlineMs: 15_000,
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

export type WorkerLimits = Readonly<typeof WORKER_LIMITS>
