/** How much is sent at once, and how long things may last. Milliseconds. */
export interface WorkerLimits {
  /** Attempts at once in this process. */
  readonly slots: number
  /** Attempts at once to one webhook, over all processes. */
  readonly perEndpoint: number
  /** Attempts at once to one host, over all processes. */
  readonly perHost: number
  /** What an attempt may last in all. The sender keeps to it. */
  readonly deadlineMs: number
  /** How long a claim holds. Others take over after it, so it must outlast the deadline by far. */
  readonly leaseMs: number
  /** The longest time between two looks at the table while nobody announces anything. */
  readonly pollMs: number
  /** How often expired leases are looked for. */
  readonly reclaimMs: number
  /** Claims without an outcome that count as a failed attempt. */
  readonly maxClaims: number
  /** How long a delivery rests that could not be attempted for a reason of our own. */
  readonly troubleMs: number
}

export const WORKER_LIMITS: WorkerLimits = {
  slots: 256,
  perEndpoint: 4,
  perHost: 32,
  deadlineMs: 15_000,
  leaseMs: 35_000,
  pollMs: 400,
  reclaimMs: 5_000,
  maxClaims: 5,
  troubleMs: 30_000,
}

const LEASE_MARGIN_MS = 15_000

/** The production limits, or others whose lease is no shorter than deadline and margin: else two workers could send at once. */
export function workerLimits(changes: Partial<WorkerLimits> = {}): WorkerLimits {
  const limits = { ...WORKER_LIMITS, ...changes }
  if (changes.leaseMs === undefined && limits.leaseMs < limits.deadlineMs + LEASE_MARGIN_MS)
    return { ...limits, leaseMs: limits.deadlineMs + LEASE_MARGIN_MS }
  return limits
}
