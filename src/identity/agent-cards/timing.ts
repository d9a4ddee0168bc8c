/** Milliseconds. */
export interface CardTiming {
  /** How often the table is looked at while nothing is due. */
  readonly idleMs: number
  /** How long a card that was fetched is left alone. */
  readonly recheckMs: number
  /** The first wait after a failure; each further one is `retryFactor` times as long, up to `recheckMs`. */
  readonly retryMs: number
  readonly retryFactor: number
  /** The longest wait for a host that cannot be reached. */
  readonly hostRetryMs: number
  /** How long who took a card has for it, before others take it. Longer than all fetches of one card together. */
  readonly leaseMs: number
  /** Time for one document, from the name to the last byte. */
  readonly fetchMs: number
  /** Waits are this share shorter or longer, so that cards registered together are not fetched together for ever. */
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
