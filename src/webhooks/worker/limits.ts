/** Concurrency and timings of a worker. Times are in milliseconds. */
export const WORKER_LIMITS = {
  /** Attempts in flight in this process to endpoints that recently answered fast. */
  concurrency: 768,
  /** Attempts in flight in this process to new and slow endpoints: a quarter of all. */
  slowConcurrency: 256,
  /** Attempts in flight to one webhook, over all processes. */
  perEndpoint: 4,
  /** Attempts in flight to one site, over all processes. */
  perSite: 40,
  /** Total time of one attempt. The sender enforces it. */
  deadlineMs: 15_000,
  /** The same for the first attempt of a delivery to a new or slow endpoint. */
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

export type WorkerLimits = Readonly<typeof WORKER_LIMITS>
