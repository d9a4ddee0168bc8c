import type { WorkerLimits } from './limits.ts'
import { type Claim, claim, readDue } from './queue.ts'
import type { DueStatus, Lane, Slots } from './slots.ts'
import { takeTurns } from './turns.ts'
import type { WorkerConnection } from './worker-connection.ts'

/** One claim does not start more attempts of a lane, because that takes time. */
const MAX_CLAIMED = 256
/**
 * After this many failures in a row the first attempts have the whole time, so that an endpoint
 * that is slow, but answers, is not paused by the breaker.
 */
const MAX_SHORT_FAILURES = 3

/** A claim whose turn it is. */
export interface StartedClaim extends Claim {
  readonly lane: Lane
  /** The attempt must end within `firstDeadlineMs`. */
  readonly short: boolean
  /** It tests a webhook whose pause has ended. */
  readonly probe: boolean
}

export interface ClaimedDue {
  readonly claims: readonly StartedClaim[]
  /** True if some due deliveries had to wait for others. */
  readonly contended: boolean
  /** The `after` of the next call. Empty if all networks with waiting deliveries were visited. */
  readonly next: string
}

export const NOTHING_DUE: ClaimedDue = { claims: [], contended: false, next: '' }

/** Reads what is due, decides whose turn it is, and claims that. */
export async function claimDue(
  connection: WorkerConnection,
  options: {
    status: DueStatus
    slots: Pick<Slots, 'all' | 'free'>
    limits: WorkerLimits
    random: () => number
    after: string
    /** Claims of this worker whose attempt has ended, and whose outcome is not written yet. */
    finished: readonly string[]
  },
): Promise<ClaimedDue> {
  const { status, slots, limits, random, after, finished } = options
  const free = {
    fast: Math.min(MAX_CLAIMED, slots.free('fast', status)),
    slow: Math.min(MAX_CLAIMED, slots.free('slow', status)),
  }
  if (free.fast + free.slow === 0) return NOTHING_DUE
  const { running, waiting, next, more } = await readDue(connection, { status, after, limits, finished })
  // One attempt per endpoint and site is reserved for retries, or a busy one would never get one.
  const reserved = status === 'pending' ? 1 : 0
  const turns = takeTurns(running, waiting, {
    free,
    all: { fast: slots.all('fast', status), slow: slots.all('slow', status) },
    perWebhook: Math.max(1, limits.perEndpoint - reserved),
    perSite: Math.max(1, limits.perSite - reserved),
    random,
  })
  const turnOf = new Map(turns.started.map((turn) => [turn.delivery, turn]))
  const probes = turns.started.filter(({ waiting: { probe } }) => probe).map(({ waiting }) => waiting.webhook)
  const claimed = await claim(connection, { status, ids: [...turnOf.keys()], probes, limits })
  const claims = claimed.map((each) => {
    const { lane, waiting: webhook } = turnOf.get(each.id)!
    const { probe, unproven, failures } = webhook
    const isFirstTry = status === 'pending' && lane === 'slow' && !probe
    const short = isFirstTry && unproven && failures < MAX_SHORT_FAILURES
    return Object.assign(each, { lane, probe, short })
  })
  return { claims, contended: turns.waits || more, next }
}
