import { setImmediate as nextTick } from 'node:timers/promises'
import PQueue from 'p-queue'
import {
  parseTransaction,
  type Pubkey,
  signatureBytes,
  WireError,
  type WireTransaction,
} from '@agent-registry/solana'
import { LedgerRpcError, VERSION_NOT_SUPPORTED } from '../ledger/rpc/rpc-error.ts'
import type { SignatureInfo } from '../ledger/decode/rpc-transaction.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'
import { verifyEd25519 } from '../domain/ed25519.ts'
import type { Clock } from '../platform/clock.ts'
import type { TransactionsContext } from './context.ts'
import { fetchTransaction, readHead } from './ledger-state.ts'
import { SEARCH_LIMITS } from './limits.ts'
import type { TransactionRow } from './transaction-store.ts'
import { matchesPrepared, matchKey, ownRows, preparedMessage } from './match.ts'

/** What a search for an expired transaction found. */
export type SearchResult =
  /** The prepared transaction, or a version of it that `match.ts` allows. */
  | { readonly kind: 'found'; readonly signature: string; readonly signedTx: string }
  /** It is not on the ledger, and it has expired. */
  | { readonly kind: 'absent' }
  /**
   * The fee payer has too many transactions to compare all, or a version of the transaction landed
   * that is also another prepared transaction.
   */
  | { readonly kind: 'unknown' }

interface Search {
  rows: TransactionRow[]
  window: SignatureWindow
}

/**
 * Searches the finalized ledger for expired transactions, whoever sent them. A row without a result
 * must be searched again: a node that may know it does not respond, or this pass had no call or no
 * time left.
 * Throws LedgerRpcError if no node responds.
 */
export async function searchLedger(
  rows: readonly TransactionRow[],
  { rpc, store, clock, timing }: Pick<TransactionsContext, 'rpc' | 'store' | 'clock' | 'timing'>,
): Promise<Map<string, SearchResult>> {
  const results = new Map<string, SearchResult>()
  const finalized = await readHead(rpc, 'finalized')
  // The results are stored at the end, before another process can lease the rows.
  const budget = new SearchBudget(SEARCH_LIMITS.calls, clock, clock.now() + timing.leaseMs / 2)
  const searches: Search[] = []

  await inParallel([...groupByPayer(rows)], async ([address, group]) => {
    if (budget.isOver) return
    const oldestSlot = Math.min(...group.map((row) => row.blockhashSlot))
    const window = await listPage(rpc, { address, oldestSlot, infos: [], pages: 0 }, finalized.slot)
    searches.push({ rows: group, window })
  })

  // An account with many transactions must not delay the others.
  searches.sort((a, b) => cost(a) - cost(b))
  await inParallel(searches, async (search) => {
    let { window } = search
    while (!window.complete && window.pages < SEARCH_LIMITS.pages) {
      if (!budget.take()) return
      window = await listPage(rpc, window, finalized.slot)
    }
    const found = await findLanded(search.rows, window, { rpc, store, budget })
    for (const [id, result] of found) results.set(id, result)
  })
  return results
}

function groupByPayer(rows: readonly TransactionRow[]): Map<Pubkey, TransactionRow[]> {
  return Map.groupBy(rows, (row) => {
    const [payer] = preparedMessage(row).staticKeys
    if (payer === undefined) throw new Error('a prepared message has no fee payer')
    return payer
  })
}

function cost({ window }: Search): number {
  return window.complete ? window.infos.length : Infinity
}

/** A failed call concerns only one fee payer: its rows have no result. */
async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = new PQueue({ concurrency: SEARCH_LIMITS.concurrentPayers })
  await queue.addAll(
    items.map((item) => async () => {
      try {
        await work(item)
      } catch (error) {
        if (!(error instanceof LedgerRpcError)) throw error
      }
    }),
  )
}

const FIRST_PAGE_SIZE = 100
const PAGE_SIZE = 1_000

/** The finalized signatures of an account, newest first, as far as they are listed. */
export interface SignatureWindow {
  readonly address: Pubkey
  /** The listing ends below this slot. */
  readonly oldestSlot: number
  readonly infos: readonly SignatureInfo[]
  readonly pages: number
  /** Contains all signatures from `oldestSlot` on. */
  readonly complete: boolean
}

/**
 * Lists the next page. The node must have finalized `minContextSlot`. Throws UncertainResultError
 * if the listing ends while another node that may list more does not respond.
 */
export async function listPage(
  rpc: LedgerCalls,
  { address, oldestSlot, infos, pages }: Omit<SignatureWindow, 'complete'>,
  minContextSlot: number,
): Promise<SignatureWindow> {
  const before = infos.at(-1)?.signature
  const limit = before === undefined ? FIRST_PAGE_SIZE : PAGE_SIZE
  const config = { limit, before, commitment: 'finalized', minContextSlot }
  const listed = await rpc.call<SignatureInfo[]>('getSignaturesForAddress', [address, config])
  const added = listed.filter((info) => info.signature !== before)
  const inWindow = added.filter((info) => info.slot >= oldestSlot)
  // Nodes may return fewer entries than requested, so only an empty page ends a listing.
  const complete = added.length === 0 || inWindow.length < added.length
  return { address, oldestSlot, infos: [...infos, ...inWindow], pages: pages + 1, complete }
}

/** Verifications until other work of the process can run, about 5 ms. */
const VERIFICATIONS_PER_TURN = 50

/**
 * Searches the rows of one fee payer among its listed signatures. A row has no result if the
 * budget of this pass does not suffice, or if no node returns a listed transaction.
 */
export async function findLanded(
  rows: readonly TransactionRow[],
  { address, infos, complete }: SignatureWindow,
  { rpc, store, budget }: Pick<TransactionsContext, 'rpc' | 'store'> & { budget: SearchBudget },
): Promise<Map<string, SearchResult>> {
  const results = new Map<string, SearchResult>()
  const rowsToSearch = Math.max(1, Math.floor(SEARCH_LIMITS.verifications / (infos.length + 1)))
  const open = new Set(rows.slice(0, rowsToSearch))
  const unread = new Set(infos)
  const uncertain = new Set<TransactionRow>()

  /** False if the transaction could not be read. */
  const compare = async (info: SignatureInfo): Promise<boolean> => {
    if (!budget.take()) return false
    const transaction = await readTransaction(rpc, info.signature)
    if (transaction === 'missing') return false
    unread.delete(info)
    if (transaction === 'unreadable') return true
    const matches = [...open].filter((row) => matchesPrepared(preparedMessage(row), transaction.message))
    if (matches.length === 0) return true
    const key = matchKey(transaction.message)
    const prepared = key === null ? [] : await store.findByMatchKeys([key])
    const own = new Set(ownRows(transaction, [...prepared, ...matches]).map((row) => row.message))
    const signedTx = Buffer.from(transaction.bytes).toString('base64')
    for (const row of matches) {
      if (!own.has(row.message)) {
        uncertain.add(row)
        continue
      }
      results.set(row.id, { kind: 'found', signature: info.signature, signedTx })
      open.delete(row)
    }
    return true
  }

  // A listed signature is the fee payer's if it pays, so it shows without a fetch whether it signed
  // the prepared message.
  const signatures = infos.map((info) => ({ info, bytes: signatureBytes(info.signature) }))
  for (const row of open) {
    const message = Buffer.from(row.message, 'base64')
    for (const [i, { info, bytes }] of signatures.entries()) {
      if (i % VERIFICATIONS_PER_TURN === 0) await nextTick()
      if (bytes === null || !verifyEd25519(message, bytes, address)) continue
      // It landed. If it could not be read, the next search reads it: it never counts as absent.
      await compare(info)
      open.delete(row)
      break
    }
  }
  // Others may be versions that a wallet changed, as `match.ts` allows. If a wallet sent several,
  // the one that succeeded counts.
  const isWithinLimits = complete && unread.size <= SEARCH_LIMITS.fetches
  const successesFirst = [...unread].sort((a, b) => Number(a.err !== null) - Number(b.err !== null))
  if (isWithinLimits) for (const info of successesFirst) if (open.size === 0 || !(await compare(info))) break
  for (const row of open) {
    if (!isWithinLimits) results.set(row.id, { kind: 'unknown' })
    else if (unread.size === 0) results.set(row.id, { kind: uncertain.has(row) ? 'unknown' : 'absent' })
  }
  return results
}

/** `unreadable`: it has a newer version than can be read. `missing`: no node returns it. */
async function readTransaction(
  rpc: LedgerCalls,
  signature: string,
): Promise<WireTransaction | 'unreadable' | 'missing'> {
  try {
    const found = await fetchTransaction<{ transaction: [string, string] }>(rpc, signature)
    return found === null ? 'missing' : parseTransaction(Buffer.from(found.transaction[0], 'base64'))
  } catch (error) {
    if (error instanceof WireError) return 'unreadable'
    if (error instanceof LedgerRpcError && error.code === VERSION_NOT_SUPPORTED) return 'unreadable'
    throw error
  }
}

/** The calls and the time that all searches of one pass may use. */
export class SearchBudget {
  readonly #clock: Clock
  readonly #until: number
  #calls: number

  /** `until`: ms since the epoch. */
  constructor(calls: number, clock: Clock, until: number) {
    this.#calls = calls
    this.#clock = clock
    this.#until = until
  }

  /** Whether the time is over. */
  get isOver(): boolean {
    return this.#clock.now() >= this.#until
  }

  /** False if no call is left. */
  take(): boolean {
    this.#calls -= 1
    return this.#calls >= 0 && !this.isOver
  }
}
