import { LRUCache } from 'lru-cache'
import type { Clock } from '../../clock.ts'
import { countRequest, stateAt } from '../../rate-limits/gcra.ts'

/**
 * Bytes that this process reads per minute for the cards and credentials of one site. Cards of usual
 * size use less, as fast as they are checked.
 */
export const SITE_BYTES_PER_MINUTE = 33_554_432
/** The least recently read site is forgotten first. */
const MAX_SITES = 10_000

/** Counts what was read from each site, because one owner may have any number of agents. */
export interface ByteBudget {
  isUsedUp(site: string): boolean
  spend(site: string, bytes: number): void
}

export function createByteBudget(clock: Clock): ByteBudget {
  const arrivals = new LRUCache<string, number>({ max: MAX_SITES })
  const left = (site: string, now: number): number =>
    stateAt(Math.max(arrivals.get(site) ?? now, now), now, SITE_BYTES_PER_MINUTE, true).remaining
  return {
    isUsedUp: (site) => left(site, clock.now()) === 0,
    spend: (site, bytes) => {
      const now = clock.now()
      const spent = Math.min(bytes, left(site, now))
      arrivals.set(site, countRequest(arrivals.get(site), now, SITE_BYTES_PER_MINUTE, spent).arrival)
    },
  }
}
