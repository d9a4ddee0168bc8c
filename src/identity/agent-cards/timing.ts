/** All times are in milliseconds. */
export interface CardTiming {
  /** Poll interval while no card is due. */
  readonly idleMs: number
  /** Interval between checks of a card that was fetched. */
  readonly recheckMs: number
  /** First delay after a failure. Further delays grow by `retryFactor`, up to `recheckMs`. */
  readonly retryMs: number
  readonly retryFactor: number
  /** Longest delay for a host that cannot be reached. */
  readonly hostRetryMs: number
  /** Lease of a claimed card. Longer than all fetches for one card together. */
  readonly leaseMs: number
  /** Time limit of one document. */
  readonly fetchMs: number
  /** Random change of each delay, as a share of it. Spreads cards that were registered together. */
  readonly jitter: number
}

export const CARD_TIMING: CardTiming = {
  idleMs: 1_000,
  recheckMs: 86_400_000,
  retryMs: 60_000,
  retryFactor: 4,
  hostRetryMs: 3_600_000,
  leaseMs: 60_000,
  fetchMs: 10_000,
  jitter: 0.1,
}
