/** The source of time. Injected, so that tests of expiry and back-off need not wait. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }
