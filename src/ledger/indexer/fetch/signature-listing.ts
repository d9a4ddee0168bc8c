import { type Kysely, sql } from 'kysely'
import type { SignatureInfo } from '../../decode/rpc-transaction.ts'
import type { LedgerRpc } from '../../rpc/ledger-rpc.ts'
import { LedgerRpcError, UncertainResultError } from '../../rpc/rpc-error.ts'
import type { Database } from '../../../db/database.ts'
import type { IndexedRow } from '../../decode/rows.ts'
import type { TransactionInSlot } from '../write/write-events.ts'

const PAGE_SIZE = 1000
/** Usually the newest few signatures reach back to a known one. */
const FIRST_PAGE_SIZE = 100

interface ListingQuery {
  programId: string
  commitment: string
  /** The newest known signature: the listing ends above it. Null lists the whole history. */
  until: string | null
  /** The listing also ends below this slot, because a fork may have removed `until`. */
  minSlot: number
  /** The listing starts below this signature. */
  before?: string
  /** The node must have reached this slot. */
  minContextSlot?: number
  /** Entries kept in memory. Newer pages beyond that are listed again when they are read. */
  maxInMemory?: number
}

export interface SignatureListing {
  count: number
  /** False if the node lacks a part of the history: it lags, or has dropped it. */
  complete: boolean
  /** False if another node may list more and does not respond. */
  certain: boolean
  /** The signature at which the listing ended. */
  oldest: string | undefined
  /** The pages oldest first, each page oldest first. */
  oldestFirst(): AsyncGenerator<SignatureInfo[]>
}

interface Page {
  before: string | undefined
  last: string
  /** Null if the page must be listed again. */
  infos: SignatureInfo[] | null
}

interface PageResult {
  infos: SignatureInfo[]
  /** The page reaches `until` or `minSlot`. */
  complete: boolean
  /** The node lists nothing older. */
  ended: boolean
  certain: boolean
}

/**
 * Lists the program's signatures newest first, as nodes do, so that they can be read oldest first.
 */
export async function listSignatures(rpc: LedgerRpc, query: ListingQuery): Promise<SignatureListing> {
  const pages: Page[] = []
  const { maxInMemory = 50_000 } = query
  let { before, minContextSlot = 0 } = query
  let count = 0
  let inMemory = 0
  let firstInMemory = 0
  let limit = query.until === null ? PAGE_SIZE : FIRST_PAGE_SIZE
  for (;;) {
    const result = await listPage(rpc, { ...query, minContextSlot }, before, limit)
    const { infos } = result
    const last = infos.at(-1)
    if (last !== undefined) {
      // A node that is further behind does not know `before`, and would list nothing below it.
      minContextSlot = Math.max(minContextSlot, infos[0]?.slot ?? 0)
      pages.push({ before, last: last.signature, infos })
      before = last.signature
      count += infos.length
      inMemory += infos.length
      while (inMemory > maxInMemory && firstInMemory < pages.length - 1) {
        const page = pages[firstInMemory++]!
        inMemory -= page.infos!.length
        page.infos = null
      }
    }
    limit = PAGE_SIZE
    if (!result.complete && !result.ended) continue
    return {
      count,
      complete: result.complete || (query.until === null && result.certain),
      certain: result.certain,
      oldest: pages.at(-1)?.last,
      oldestFirst: () => oldestFirst(rpc, { ...query, minContextSlot }, pages),
    }
  }
}

/** Throws if the history may go further back than was listed, for readers that need all of it. */
export function assertComplete({ complete }: SignatureListing): void {
  if (!complete)
    throw new UncertainResultError(
      'the start of the history is unknown while a ledger node that may have more of it does not respond: wait for the node, or remove it from SOLANA_RPC_URL',
    )
}

async function* oldestFirst(
  rpc: LedgerRpc,
  query: ListingQuery,
  pages: readonly Page[],
): AsyncGenerator<SignatureInfo[]> {
  for (const page of pages.toReversed()) {
    const infos = page.infos ?? (await listPageAgain(rpc, query, page))
    page.infos = null
    yield infos.toReversed()
  }
}

/**
 * Nodes may return fewer entries than requested, so only an empty page ends a listing. This code
 * looks for `until` itself: a node that does not know it would not report that.
 */
async function listPage(
  rpc: LedgerRpc,
  query: ListingQuery,
  before: string | undefined,
  limit: number,
): Promise<PageResult> {
  const { programId, commitment, until, minSlot, minContextSlot } = query
  // JSON omits undefined members.
  const config = { limit, commitment, before, minContextSlot: minContextSlot || undefined }
  let listed: SignatureInfo[] = []
  try {
    listed = await rpc.call('getSignaturesForAddress', [programId, config])
  } catch (error) {
    if (!(error instanceof UncertainResultError)) throw error
    return { infos: [], complete: false, ended: true, certain: false }
  }
  // The page ends where the previous page did: it lists nothing new.
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

async function listPageAgain(rpc: LedgerRpc, query: ListingQuery, page: Page): Promise<SignatureInfo[]> {
  const infos: SignatureInfo[] = []
  let { before } = page
  for (;;) {
    const result = await listPage(rpc, query, before, PAGE_SIZE)
    const end = result.infos.findIndex((info) => info.signature === page.last)
    infos.push(...(end < 0 ? result.infos : result.infos.slice(0, end + 1)))
    if (end >= 0 || result.complete) return infos
    // A fork removed the ends of the page, or another node that lacks them responded.
    if (result.ended)
      throw new LedgerRpcError('transport', 'the node no longer lists signatures that it listed before')
    before = result.infos.at(-1)?.signature
  }
}

type StoredTransaction = Omit<IndexedRow<'ledger_transactions'>, 'accounts'>

export async function hasTransactions(db: Kysely<Database>): Promise<boolean> {
  return (await db.selectFrom('ledger_transactions').select('slot').limit(1).executeTakeFirst()) !== undefined
}

/** By signature. */
export async function loadTransactions(
  db: Kysely<Database>,
  infos: readonly SignatureInfo[],
): Promise<Map<string, StoredTransaction>> {
  const { rows } = await sql<StoredTransaction>`
    select signature, slot, transaction_index, finality from ledger_transactions
    where signature = any(${infos.map((info) => info.signature)})`.execute(db)
  return new Map(rows.map((row) => [row.signature, row]))
}

/**
 * Whether the row is valid and in the listed slot. A fork may also change the index in the slot.
 */
export function isUpToDate(row: StoredTransaction | undefined, info: SignatureInfo): boolean {
  if (row === undefined || row.finality === 'orphaned' || row.slot !== info.slot) return false
  const index = row.finality === 'confirmed' ? info.transactionIndex : undefined
  return index === undefined || index === row.transaction_index
}

interface TransactionsToFetch {
  infos: SignatureInfo[]
  /** The rows of transactions that a fork has moved to another slot or index. */
  moved: TransactionInSlot[]
  /** The tables contain none of `infos`, also not as orphaned. */
  areNew: boolean
}

/** The listed transactions that the tables do not contain, or contain at another position. */
export async function findTransactionsToFetch(
  db: Kysely<Database>,
  listed: SignatureInfo[],
): Promise<TransactionsToFetch> {
  if (listed.length === 0) return { infos: [], moved: [], areNew: true }
  const stored = await loadTransactions(db, listed)
  const infos = listed.filter((info) => !isUpToDate(stored.get(info.signature), info))
  const outdated = infos.flatMap((info) => stored.get(info.signature) ?? [])
  const moved = outdated.filter((row) => row.finality === 'confirmed')
  return { infos, moved, areNew: outdated.length === 0 }
}
