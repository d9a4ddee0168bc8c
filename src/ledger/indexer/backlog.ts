import type { LedgerRpc } from '../rpc.ts'
import type { SignatureInfo } from './batch.ts'

const PAGE = 1000

export interface BacklogQuery {
  programId: string
  commitment: string
  /** Not listed any more, nor anything before it. */
  until: string | null
  /** A fork may have taken `until` away: nothing below this slot is listed then. */
  minSlot: number
  /** The node must have reached this slot. */
  minContextSlot?: number
  /** Entries kept in memory; newer pages beyond that are listed again when their turn comes. */
  maxKept?: number
}

interface Page {
  before: string | undefined
  last: string
  infos: SignatureInfo[] | null
}

export interface Backlog {
  count: number
  /** The pages oldest first, each page oldest first. */
  oldestFirst(): AsyncGenerator<SignatureInfo[]>
}

/** Lists the program's transactions, newest first as the node does, for reading oldest first. */
export async function listBacklog(rpc: LedgerRpc, query: BacklogQuery): Promise<Backlog> {
  const pages: Page[] = []
  let before: string | undefined
  let count = 0
  let kept = 0
  let firstKept = 0
  for (;;) {
    const { infos, ended } = await listPage(rpc, query, before)
    const last = infos.at(-1)
    if (last !== undefined) {
      pages.push({ before, last: last.signature, infos })
      before = last.signature
      count += infos.length
      kept += infos.length
      while (kept > (query.maxKept ?? 50_000) && firstKept < pages.length - 1) {
        const page = pages[firstKept++]
        kept -= page?.infos?.length ?? 0
        if (page !== undefined) page.infos = null
      }
    }
    if (ended) break
  }
  return {
    count,
    async *oldestFirst() {
      for (const page of pages.toReversed()) {
        const infos = page.infos ?? (await relist(rpc, query, page))
        page.infos = null
        yield infos.toReversed()
      }
    },
  }
}

/**
 * Nodes may cap a page below what was asked, so only an empty page, or one that reaches the end, is the last.
 * One that ends where the page before ended brings nothing new.
 */
async function listPage(
  rpc: LedgerRpc,
  query: BacklogQuery,
  before: string | undefined,
): Promise<{ infos: SignatureInfo[]; ended: boolean }> {
  const listed = await rpc.call<SignatureInfo[]>('getSignaturesForAddress', [
    query.programId,
    {
      limit: PAGE,
      commitment: query.commitment,
      ...(before === undefined ? {} : { before }),
      ...(query.until === null ? {} : { until: query.until }),
      ...(query.minContextSlot === undefined ? {} : { minContextSlot: query.minContextSlot }),
    },
  ])
  const infos = listed.filter((info) => info.slot >= query.minSlot)
  const stuck = before !== undefined && listed.at(-1)?.signature === before
  if (stuck) return { infos: [], ended: true }
  return { infos, ended: listed.length === 0 || infos.length < listed.length }
}

async function relist(rpc: LedgerRpc, query: BacklogQuery, page: Page): Promise<SignatureInfo[]> {
  const infos: SignatureInfo[] = []
  let { before } = page
  for (;;) {
    const listed = await listPage(rpc, query, before)
    const end = listed.infos.findIndex((info) => info.signature === page.last)
    infos.push(...(end < 0 ? listed.infos : listed.infos.slice(0, end + 1)))
    if (end >= 0 || listed.ended) return infos
    before = listed.infos.at(-1)?.signature
  }
}
