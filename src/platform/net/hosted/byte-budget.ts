import type { Clock } from '../../clock.ts'
import { createMemoryCounter } from '../../rate-limits/gcra.ts'

/**
 * Bytes that this process reads per minute for the cards and credentials of one site. Cards of
 * usual size use less, as fast as they are checked.
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
  const counter = createMemoryCounter(clock, MAX_SITES)
  return {
    isUsedUp: (site) => counter.count(site, SITE_BYTES_PER_MINUTE, 0).remaining === 0,
    spend: (site, bytes) => void counter.countUsed(site, SITE_BYTES_PER_MINUTE, bytes),
  }
}
