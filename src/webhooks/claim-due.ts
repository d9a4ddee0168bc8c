import type { WorkerLimits } from './limits.ts'
import { type Claim, claim, readDue } from './queue.ts'
import type { DueStatus, Lane, Slots } from './slots.ts'
import { nextTurns } from './turns.ts'
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
  const turns = nextTurns(running, waiting, {
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

/**
 * What happens to a claim in this process. `delivered`: its attempt succeeded and its slot is free,
 * but the outcome is not written yet. `writing`: another outcome is being written. It keeps the
 * slot, because it may pause or disable the webhook.
 */
type ClaimState = 'claimed' | 'sending' | 'writing' | 'delivered' | 'settled' | 'released'

const NEXT: Readonly<Record<ClaimState, readonly ClaimState[]>> = {
  claimed: ['sending', 'released'],
  sending: ['writing', 'delivered', 'released'],
  writing: ['settled', 'released'],
  delivered: ['settled', 'released'],
  settled: [],
  released: [],
}

/** The claims of a worker that have not ended. */
export class HeldClaims {
  readonly #held = new Map<string, { id: string; state: ClaimState }>()
  #delivered = 0

  /** Throws if the claim cannot get into this state. */
  move({ id, token }: Pick<Claim, 'id' | 'token'>, state: ClaimState): void {
    const before = this.#held.get(token)?.state
    const allowed = before === undefined ? ['claimed'] : NEXT[before]
    if (!allowed.includes(state)) throw new Error(`a delivery that is ${before} cannot become ${state}`)
    this.#delivered += Number(state === 'delivered') - Number(before === 'delivered')
    if (NEXT[state].length > 0) this.#held.set(token, { id, state })
    else this.#held.delete(token)
  }

  get delivered(): number {
    return this.#delivered
  }

  /**
   * The deliveries that hold no slot: limits of webhooks and sites need not count them. One that
   * the worker claimed again, because its lease ended before the outcome was written, counts.
   */
  withoutSlot(): string[] {
    if (this.#delivered === 0) return []
    const all = [...this.#held.values()]
    const withSlot = new Set(all.filter(({ state }) => state !== 'delivered').map(({ id }) => id))
    return all.filter(({ id, state }) => state === 'delivered' && !withSlot.has(id)).map(({ id }) => id)
  }
}
