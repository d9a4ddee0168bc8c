import PQueue from 'p-queue'
import { cardOrigin, GATEWAY_SITES } from './agent-cards/card-origin.ts'

export interface SiteSlotLimits {
  readonly perSite: number
  /** For a gateway, which serves the documents of many owners. */
  readonly perGateway: number
}

/**
 * Runs `run` when fewer fetches from the site of the URL run in this process. Null if it must wait
 * for longer than `waitMs`.
 */
export type SiteSlots = <Result>(
  url: string,
  waitMs: number,
  run: () => Promise<Result>,
) => Promise<Result | null>

/** Limits the fetches from one site, because anyone can list URLs of a site of others. */
export function createSiteSlots({ perSite, perGateway }: SiteSlotLimits): SiteSlots {
  const sites = new Map<string, PQueue>()
  return async (url, waitMs, run) => {
    const { site } = cardOrigin(url)
    const limit = GATEWAY_SITES.includes(site) ? perGateway : perSite
    const queue = sites.get(site) ?? new PQueue({ concurrency: limit })
    sites.set(site, queue)
    let isLate = false
    const timer = setTimeout(() => (isLate = true), waitMs)
    try {
      return await queue.add(async () => (isLate ? null : run()))
    } finally {
      clearTimeout(timer)
      if (queue.size + queue.pending === 0 && sites.get(site) === queue) sites.delete(site)
    }
  }
}
