import type { FetchQueueLimits } from '../fetch-queue.ts'

const SLOT_MS = 100

/** The queues of a worker. Hosts that never respond cost memory and sockets, not slots. */
export const CARD_QUEUES = {
  /** First checks of new agents, and of cards whose URL or hash changed. */
  first: { slots: 64, slotMs: SLOT_MS, inFlight: 512 },
  /** All other checks. */
  further: { slots: 16, slotMs: SLOT_MS, inFlight: 128 },
  /** Credentials: one place for all credentials of an agent. */
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
