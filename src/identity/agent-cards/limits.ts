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
/** The same for a gateway, which serves many owners. At most the sockets per origin. */
export const CHECKS_PER_GATEWAY = 24
/** Of credentials, in a process. With all checks, at most the sockets per origin. */
export const CREDENTIAL_FETCHES = { perSite: 4, perGateway: 8 } as const

/** Checks of cards that no agent has yet, which anyone can start. In a process. */
export const NEW_CARD_CHECKS = {
  /** Of the cards of one site, or through a gateway. Others are refused. */
  atOnce: { site: 4, gateway: 8 },
  perMinute: { site: 60, gateway: 600 },
  /** Of all cards at once. */
  all: 64,
  /** How long the result for a URL is shared, in milliseconds. */
  keptMs: 5_000,
  /** The site that was checked least recently is forgotten first. */
  maxSites: 10_000,
} as const

export type CardTiming = Readonly<Record<keyof typeof CARD_TIMING, number>>

/** Milliseconds. The minute between two checks of a card is in the triggers of `agents`. */
export const CARD_TIMING = {
  /** Poll interval while nothing is due. */
  idleMs: 500,
  /** Interval between checks of a card that was fetched. */
  recheckMs: 86_400_000,
  /** First delay after a failure. Further delays grow by `retryFactor`, up to `recheckMs`. */
  retryMs: 60_000,
  retryFactor: 4,
  /** Longest delay for a host that cannot be reached. */
  hostRetryMs: 3_600_000,
  /** Lease of a claimed card. Longer than all its fetches. Later results are dropped. */
  leaseMs: 60_000,
  /** Time limit of one document. */
  fetchMs: 10_000,
  /** Largest random addition to each delay, as a share of it. Spreads cards registered together. */
  jitter: 0.2,
  /** Time after which no more credentials of an agent are fetched. */
  credentialsMs: 30_000,
  /** Lease of an agent whose credentials are refreshed. Longer than all fetches together. */
  credentialsLeaseMs: 120_000,
  /** Shortest time between the starts of two refreshes of an agent's credentials. */
  credentialsPauseMs: 600_000,
}
