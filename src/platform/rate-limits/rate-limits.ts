import { LRUCache } from 'lru-cache'
import { clientNetwork } from '../../domain/client-network.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Clock } from '../clock.ts'

/**
 * `perMinute`: the default per client, which the setting RATE_LIMITS changes. `database` counts all
 * processes together, `memory` each process on its own. `counts` is for the reference.
 */
const limit = (perMinute: number, countedIn: 'memory' | 'database', counts: string) =>
  ({ perMinute, countedIn, counts }) as const

/** Every request uses `reads`, or `files` for a file of a page. Other kinds count in addition. */
export const RATE_LIMIT_KINDS = {
  reads: limit(600, 'memory', 'Units of all requests, except files'),
  files: limit(600, 'memory', 'Units of the files of the console, `/docs` and GraphiQL'),
  prepare: limit(60, 'memory', 'Prepared transactions, and reads of wallet balances'),
  submit: limit(60, 'memory', 'Submitted transactions'),
  sponsoredPrepare: limit(10, 'database', 'Prepared sponsored transactions'),
  register: limit(20, 'database', 'Prepared sponsored registrations'),
  verify: limit(20, 'database', 'Verified credentials, and checks of cards that no agent has yet'),
  authenticated: limit(
    120,
    'database',
    'Requests with a wallet signature or a session, and those of an operator',
  ),
  signIn: limit(60, 'database', 'Challenges and sign-ins; each sign-in needs two'),
  sends: limit(600, 'database', 'Pings, resends and recovered deliveries of webhooks; also per wallet'),
}

export type RateLimitKind = keyof typeof RATE_LIMIT_KINDS

/**
 * Kinds that guard money, signatures or expensive work. `sends` is not counted per request: the
 * webhook service charges it for each delivery that a wallet requests.
 */
export type GuardedKind = Exclude<RateLimitKind, 'reads' | 'files' | 'sends'>

/** Requests per minute and client. */
export type RateLimitNumbers = Readonly<Record<RateLimitKind, number>>

/** Clients that are remembered, for all kinds. The least recently seen one is forgotten first. */
const MAX_CLIENTS = 200_000

type Report = (state: RateLimitState) => void

/** Counts a request in the database, for all processes together. */
export type SharedCounter = (kind: string, client: string, limit: number) => Promise<RateLimitState>

/** Null for `limits` disables all. */
export function createRateLimits(options: {
  readonly sharedCounter: SharedCounter
  readonly clock: Clock
  readonly limits: RateLimitNumbers | null
}) {
  const { sharedCounter, clock, limits } = options
  const memory = createMemoryCounter(clock, MAX_CLIENTS)
  const check = (state: RateLimitState, report: Report | undefined): void => {
    report?.(state)
    if (!state.allowed) throw rateLimited(state)
  }
  return {
    /**
     * Charges units of the client's `reads` limit, or `files`, counted in memory, and reports the
     * result. `paid` of them were charged before. Throws RATE_LIMITED if too few are left, and
     * REQUEST_TOO_EXPENSIVE if the limit is lower than `units`.
     */
    charge: (
      clientIp: string,
      units: number,
      { kind = 'reads', paid = 0, report }: { kind?: 'reads' | 'files'; paid?: number; report?: Report } = {},
    ): void => {
      if (limits === null || units <= paid) return
      const max = limits[kind]
      if (units > max) throw new DomainError('REQUEST_TOO_EXPENSIVE', { units, max })
      check(memory.count(kind + clientNetwork(clientIp), max, units - paid), report)
    },
    /** Charges `reads` for work done, also above the limit. Returns the ms until within it. */
    chargeUsed: (clientIp: string, units: number): number =>
      limits === null ? 0 : memory.countUsed(`reads${clientNetwork(clientIp)}`, limits.reads, units),
    /** Throws or rejects with RATE_LIMITED. Synchronous for kinds counted in memory. */
    count: (kind: GuardedKind, clientIp: string, report?: Report): void | Promise<void> => {
      if (limits === null) return undefined
      const client = clientNetwork(clientIp)
      const own = memory.count(kind + client, limits[kind])
      // What this process alone would refuse must not wait for a database connection.
      if (RATE_LIMIT_KINDS[kind].countedIn === 'memory' || !own.allowed) return check(own, report)
      return sharedCounter(kind, client, limits[kind]).then((state) => check(state, report))
    },
  }
}

export function rateLimited({ limit, resetSeconds }: RateLimitState): DomainError {
  return new DomainError(
    'RATE_LIMITED',
    { limit, seconds: resetSeconds },
    { retryAfterSeconds: resetSeconds },
  )
}

const MINUTE_MS = 60_000
/** Fractions of steps add up to rounding errors, which must not refuse a request. */
const TOLERANCE_MS = 0.5

/** The state of a client's limit after a request. Amounts are units: most requests cost one. */
export interface RateLimitState {
  /** Units per minute. */
  readonly limit: number
  /** Units that the client may use at once now. */
  readonly remaining: number
  /** Seconds until the whole limit is available; after a refusal, until the request would be. */
  readonly resetSeconds: number
  readonly allowed: boolean
}

/**
 * The generic cell rate algorithm (GCRA). `arrival` is the theoretical arrival time, in ms: the
 * time at which the client's whole limit is available again. Each unit adds a minute / limit to it,
 * up to one minute from now.
 */
export function countRequest(
  arrival: number | undefined,
  now: number,
  limit: number,
  units = 1,
): { arrival: number; state: RateLimitState } {
  const current = Math.max(arrival ?? now, now)
  const next = current + (units * MINUTE_MS) / limit
  const allowed = next - now <= MINUTE_MS + TOLERANCE_MS
  const counted = allowed ? next : current
  return { arrival: counted, state: stateAt(counted, now, limit, allowed, units) }
}

export function stateAt(
  arrival: number,
  now: number,
  limit: number,
  allowed: boolean,
  units = 1,
): RateLimitState {
  const step = MINUTE_MS / limit
  const ahead = arrival - now
  return {
    limit,
    remaining: Math.max(0, Math.floor((MINUTE_MS - ahead + TOLERANCE_MS) / step)),
    resetSeconds: Math.max(1, Math.ceil((allowed ? ahead : ahead + units * step - MINUTE_MS) / 1000)),
    allowed,
  }
}

/** Counts in the memory of this process. Forgets the client seen least recently first. */
export function createMemoryCounter(clock: Clock, maxClients: number) {
  const arrivals = new LRUCache<string, number>({ max: maxClients })
  return {
    /** Counts units if as many are left. */
    count: (client: string, limit: number, units = 1): RateLimitState => {
      const { arrival, state } = countRequest(arrivals.get(client), clock.now(), limit, units)
      arrivals.set(client, arrival)
      return state
    },
    /** Counts used units, also above the limit. Returns the ms until the client is within it. */
    countUsed: (client: string, limit: number, units: number): number => {
      const now = clock.now()
      const next = Math.max(arrivals.get(client) ?? now, now) + (units * MINUTE_MS) / limit
      const arrival = Math.min(next, now + 2 * MINUTE_MS)
      arrivals.set(client, arrival)
      return Math.max(0, arrival - now - MINUTE_MS)
    },
  }
}
