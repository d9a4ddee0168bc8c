import type { LedgerRpc } from '../../rpc/ledger-rpc.ts'
import { LedgerRpcError, UncertainResultError } from '../../rpc/rpc-error.ts'
import type { SignatureInfo } from '../../decode/rows.ts'

const PAGE = 1000
/** Usually the newest few reach back to what is known. */
const FIRST_PAGE = 100

export interface BacklogQuery {
  programId: string
  commitment: string
  /** The newest transaction known: neither it nor anything before it is wanted. Null for the whole history. */
  until: string | null
  /** A fork may have taken `until` away: nothing below this slot is listed then. */
  minSlot: number
  /** Nothing newer is wanted, nor this one. */
  before?: string
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
  /** The listing reaches what was known before, or all that there is. Otherwise the node has not all of the history: it lags, or has dropped it. */
  complete: boolean
  /** No node has more than was listed; otherwise one that may have does not answer. */
  certain: boolean
  /** The signature where the listing ended. */
  oldest: string | undefined
  /** The pages oldest first, each page oldest first. */
  oldestFirst(): AsyncGenerator<SignatureInfo[]>
}

interface Listed {
  infos: SignatureInfo[]
  /** Nothing that is wanted lies further back. */
  complete: boolean
  /** The node shows nothing further back. */
  ended: boolean
  certain: boolean
}

/** Lists the program's transactions, newest first as the node does, for reading oldest first. */
export async function listBacklog(rpc: LedgerRpc, query: BacklogQuery): Promise<Backlog> {
  const pages: Page[] = []
  let { before } = query
  let count = 0
  let kept = 0
  let firstKept = 0
  let limit = query.until === null ? PAGE : FIRST_PAGE
  let { minContextSlot = 0 } = query
  for (;;) {
    const listed = await listPage(rpc, { ...query, minContextSlot }, before, limit)
    const { infos } = listed
    const last = infos.at(-1)
    if (last !== undefined) {
      // A node further behind does not know where the page before ended, and would show nothing below it.
      minContextSlot = Math.max(minContextSlot, infos[0]?.slot ?? 0)
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
    limit = PAGE
    if (!listed.complete && !listed.ended) continue
    return {
      count,
      complete: listed.complete || (query.until === null && listed.certain),
      certain: listed.certain,
      oldest: pages.at(-1)?.last,
      oldestFirst: () => oldestFirst(rpc, { ...query, minContextSlot }, pages),
    }
  }
}

/** Throws where the history may go further back than was listed: what is read from there would be taken for all of it. */
export function assertWhole({ complete }: Backlog): void {
  if (!complete)
    throw new UncertainResultError(
      'where the history begins is not known while a ledger node does not answer that may have more of it: wait for it, or take it out of SOLANA_RPC_URL',
    )
}

async function* oldestFirst(
  rpc: LedgerRpc,
  query: BacklogQuery,
  pages: readonly Page[],
): AsyncGenerator<SignatureInfo[]> {
  for (const page of pages.toReversed()) {
    const infos = page.infos ?? (await relist(rpc, query, page))
    page.infos = null
    yield infos.toReversed()
  }
}

/**
 * Nodes may cap a page below what was asked, so only an empty page, or one that reaches what is known, is the last. One that ends where the page
 * before ended brings nothing new. `until` is looked for here: a node told to end there answers the same when it does not know it.
 */
async function listPage(
  rpc: LedgerRpc,
  query: BacklogQuery & { minContextSlot: number },
  before: string | undefined,
  limit: number,
): Promise<Listed> {
  const { programId, commitment, until, minSlot, minContextSlot } = query
  const config = {
    limit,
    commitment,
    ...(before === undefined ? {} : { before }),
    ...(minContextSlot === 0 ? {} : { minContextSlot }),
  }
  let listed: SignatureInfo[] = []
  try {
    listed = await rpc.call('getSignaturesForAddress', [programId, config])
  } catch (error) {
    if (!(error instanceof UncertainResultError)) throw error
    return { infos: [], complete: false, ended: true, certain: false }
  }
  if (before !== undefined && listed.at(-1)?.signature === before)
    return { infos: [], complete: false, ended: true, certain: true }
  const end = listed.findIndex((info) => info.signature === until || info.slot < minSlot)
  return {
    infos: end < 0 ? listed : listed.slice(0, end),
    complete: end >= 0,
    ended: listed.length === 0,
    certain: true,
  }
}

async function relist(rpc: LedgerRpc, query: BacklogQuery, page: Page): Promise<SignatureInfo[]> {
  const infos: SignatureInfo[] = []
  let { before } = page
  for (;;) {
    const listed = await listPage(rpc, { minContextSlot: 0, ...query }, before, PAGE)
    const end = listed.infos.findIndex((info) => info.signature === page.last)
    infos.push(...(end < 0 ? listed.infos : listed.infos.slice(0, end + 1)))
    if (end >= 0 || listed.complete) return infos
    // A fork took the page's bounds away, or another node that lacks them answers: what lies in the page is not known.
    if (listed.ended)
      throw new LedgerRpcError('transport', 'the node no longer lists what it listed a moment ago')
    before = listed.infos.at(-1)?.signature
  }
}
