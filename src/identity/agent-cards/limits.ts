import type { FetchQueueLimits } from '../fetch-queue.ts'

const SLOT_MS = 100

/** The queues of a worker. Hosts that never respond cost memory and sockets, not slots. */
export const CARD_QUEUES = {
  /** First checks of new agents, and of cards whose URL or hash changed. */
  first: { slots: 64, slotMs: SLOT_MS, inFlight: 512 },
  /** All other checks. */
  further: { slots: 16, slotMs: SLOT_MS, inFlight: 128 },
  /** Credentials: one slot for all credentials of an agent. */
  credentials: { slots: 16, slotMs: SLOT_MS, inFlight: 256 },
} as const satisfies Record<string, FetchQueueLimits>

/** Results that a process writes at once. Requests use the same database connections. */
export const WRITES_AT_ONCE = 3

/** Checks of cards of one site that run at once, over all processes. */
export const CHECKS_PER_SITE = 4
/**
 * The same for a gateway, which serves the cards of many owners. At most the sockets per origin.
 */
export const CHECKS_PER_GATEWAY = 32
/**
 * Fetches of credentials that run at once, in a process. With the checks, at most the sockets per
 * origin.
 */
export const CREDENTIAL_FETCHES = { perSite: 4, perGateway: 8 } as const

/** All times are in milliseconds. */
export interface CardTiming {
  /** Poll interval while nothing is due. */
  readonly idleMs: number
  /** Interval between checks of a card that was fetched. */
  readonly recheckMs: number
  /** First delay after a failure. Further delays grow by `retryFactor`, up to `recheckMs`. */
  readonly retryMs: number
  readonly retryFactor: number
  /** Longest delay for a host that cannot be reached. */
  readonly hostRetryMs: number
  /**
   * Lease of a claimed card. Longer than all fetches for one card together. A result that is
   * written later is dropped.
   */
  readonly leaseMs: number
  /** Time limit of one document. */
  readonly fetchMs: number
  /** Largest random addition to each delay, as a share of it. Spreads cards registered together. */
  readonly jitter: number
  /** Time after which no more credentials of an agent are fetched. */
  readonly credentialsMs: number
  /** Lease of an agent whose credentials are refreshed. Longer than all fetches together. */
  readonly credentialsLeaseMs: number
  /** Shortest time between the starts of two refreshes of an agent's credentials. */
  readonly credentialsPauseMs: number
}

/** The shortest time between two checks of a card, a minute, is in the triggers of `agents`. */
export const CARD_TIMING: CardTiming = {
  idleMs: 500,
  recheckMs: 86_400_000,
  retryMs: 60_000,
  retryFactor: 4,
  hostRetryMs: 3_600_000,
  leaseMs: 60_000,
  fetchMs: 10_000,
  jitter: 0.2,
  credentialsMs: 30_000,
  credentialsLeaseMs: 120_000,
  credentialsPauseMs: 600_000,
}
