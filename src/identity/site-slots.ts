import PQueue from 'p-queue'
import { cardOrigin, GATEWAY_SITES } from './agent-cards/card-origin.ts'

export interface SiteSlotLimits {
  readonly perSite: number
  /** For a gateway, which serves the documents of many owners. */
  readonly perGateway: number
}

/** Runs `run` when this process fetches less from the site of the URL than the limit. */
export type SiteSlots = <Result>(url: string, run: () => Promise<Result>) => Promise<Result>

/** Limits the fetches from one site, because anyone can list URLs of a site of others. */
export function createSiteSlots({ perSite, perGateway }: SiteSlotLimits): SiteSlots {
  const sites = new Map<string, PQueue>()
  return async (url, run) => {
    const { site } = cardOrigin(url)
    const limit = GATEWAY_SITES.includes(site) ? perGateway : perSite
    const queue = sites.get(site) ?? new PQueue({ concurrency: limit })
    sites.set(site, queue)
    try {
      return await queue.add(run)
    } finally {
      if (queue.size + queue.pending === 0 && sites.get(site) === queue) sites.delete(site)
    }
  }
}
