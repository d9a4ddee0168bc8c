import type { Lane } from './slots.ts'

/** Whose attempt it is: networks take turns, then their wallets, then their webhooks. */
interface Party {
  readonly webhook: string
  readonly wallet: string
  readonly network: string
  readonly site: string
}

/** A webhook with attempts in flight, in any process. */
export interface Running extends Party {
  readonly attempts: number
  /** An attempt is in flight for longer than a fast webhook needs. */
  readonly hangs: boolean
}

/** A webhook with due deliveries. */
export interface Waiting extends Party {
  /** Its average was fast. */
  readonly fast: boolean
  /** It failed last, or its pause has ended: one attempt at a time. */
  readonly single: boolean
  /** The ids of deliveries, the oldest first. */
  readonly due: readonly string[]
}

export interface Turn<Webhook extends Waiting> {
  readonly delivery: string
  readonly waiting: Webhook
  readonly lane: Lane
}

/**
 * The n-th attempt in flight of a network must leave n/4 slots of the lane free, but never more
 * than a quarter of the lane: n also counts attempts in the other lane and in other processes. In
 * the same way, the n-th attempt of a network at a site leaves n/4 of those of the site to others.
 */
const SHARE = 4

/**
 * Decides which due deliveries start. `waits` is true if some that are due cannot start yet. The
 * n-th attempt of each network comes before attempt n + 1 of any network, and the same holds for
 * wallets in a network and webhooks of a wallet. Among equals the order is random: by age, a
 * network with a long backlog would always come first.
 */
export function nextTurns<Webhook extends Waiting>(
  running: readonly Running[],
  waiting: readonly Webhook[],
  limits: {
    /** Slots that are free, and all slots. */
    free: Readonly<Record<Lane, number>>
    all: Readonly<Record<Lane, number>>
    perWebhook: number
    perSite: number
    random: () => number
  },
): { started: Turn<Webhook>[]; waits: boolean } {
  const { free, all, perWebhook, perSite, random } = limits
  /** Attempts of each party: those in flight, and then also those that got a turn. */
  const counts = {
    webhook: new Counts(),
    wallet: new Counts(),
    network: new Counts(),
    site: new Counts(),
    networkAtSite: new Counts(),
  }
  const atSite = ({ network, site }: Party): string => `${network} ${site}`
  for (const each of running) {
    for (const party of ['webhook', 'wallet', 'network', 'site'] as const)
      counts[party].add(each[party], each.attempts)
    counts.networkAtSite.add(atSite(each), each.attempts)
  }
  const hanging = new Set(running.filter(({ hangs }) => hangs).map(({ webhook }) => webhook))

  const turns = waiting.flatMap((each) => {
    const lane: Lane = each.fast && !hanging.has(each.webhook) ? 'fast' : 'slow'
    const before = counts.webhook.of(each.webhook)
    const room = Math.max(0, (each.single ? 1 : perWebhook) - before)
    return each.due
      .slice(0, room)
      .map((delivery, n) => ({ delivery, waiting: each, lane, turn: before + n + 1, draw: 0 }))
  })
  /** Gives each party its turns in the order of the turns before. */
  const rank = (party: 'wallet' | 'network'): void => {
    const draws = new Map<string, number>()
    const drawOf = (name: string): number => draws.get(name) ?? (draws.set(name, random()), drawOf(name))
    for (const each of turns.toSorted((a, b) => a.turn - b.turn || a.draw - b.draw)) {
      const name = each.waiting[party]
      each.turn = counts[party].add(name, 1)
      each.draw = drawOf(name)
    }
  }
  rank('wallet')
  rank('network')
  const started: Record<Lane, number> = { fast: 0, slow: 0 }
  const inOrder = turns.toSorted((a, b) => a.turn - b.turn || a.draw - b.draw)
  const chosen = inOrder.filter(({ waiting: each, lane, turn }) => {
    const others = Math.min(Math.floor((turn - 1) / SHARE), Math.floor(all[lane] / SHARE))
    if (started[lane] + 1 + others > free[lane]) return false
    const forOthers = Math.floor(counts.networkAtSite.of(atSite(each)) / SHARE)
    if (counts.site.of(each.site) + 1 + forOthers > perSite) return false
    counts.site.add(each.site, 1)
    counts.networkAtSite.add(atSite(each), 1)
    started[lane] += 1
    return true
  })
  return { started: chosen, waits: chosen.length < turns.length }
}

class Counts {
  readonly #counts = new Map<string, number>()
  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }
  /** Returns the new count. */
  add(name: string, by: number): number {
    const count = this.of(name) + by
    this.#counts.set(name, count)
    return count
  }
}
