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
  /** Too many transactions to compare, or one landed that is also another prepared transaction. */
  | { readonly kind: 'unknown' }

/**
 * Searches the finalized ledger for expired transactions, whoever sent them. A row without a
 * result is searched again: a node that may know it does not respond, or no call or time was left.
 * Throws LedgerRpcError if no node responds.
 */
export async function searchLedger(
  rows: readonly TransactionRow[],
  { rpc, store, clock, timing }: Pick<TransactionsContext, 'rpc' | 'store' | 'clock' | 'timing'>,
): Promise<Map<string, SearchResult>> {
  const results = new Map<string, SearchResult>()
  const finalized = await readHead(rpc, 'finalized')
  // The results are stored at the end, before another process can lease the rows.
  const take = createBudget(SEARCH_LIMITS.calls, clock, clock.now() + timing.leaseMs / 2)
  const searches: { rows: TransactionRow[]; window: SignatureWindow }[] = []

  await inParallel([...Map.groupBy(rows, payerOf)], async ([address, group]) => {
    if (!take(0)) return
    const oldestSlot = Math.min(...group.map((row) => row.blockhashSlot))
    const window = await listPage(rpc, { address, oldestSlot, infos: [], pages: 0 }, finalized.slot)
    searches.push({ rows: group, window })
  })

  // An account with many transactions must not delay the others.
  const cost = ({ complete, infos }: SignatureWindow): number => (complete ? infos.length : Infinity)
  searches.sort((a, b) => cost(a.window) - cost(b.window))
  await inParallel(searches, async (search) => {
    let { window } = search
    while (!window.complete && window.pages < SEARCH_LIMITS.pages) {
      if (!take()) return
      window = await listPage(rpc, window, finalized.slot)
    }
    const found = await findLanded(search.rows, window, { rpc, store, take })
    for (const [id, result] of found) results.set(id, result)
  })
  return results
}

const payerOf = (row: TransactionRow): Pubkey => preparedMessage(row).staticKeys[0]!

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
interface SignatureWindow {
  readonly address: Pubkey
  /** The listing ends below this slot. */
  readonly oldestSlot: number
  readonly infos: readonly SignatureInfo[]
  readonly pages: number
  /** Contains all signatures from `oldestSlot` on. */
  readonly complete: boolean
}

/** Throws UncertainResultError if the list ends while a node that may list more is unavailable. */
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

/** A row has no result if the calls do not suffice, or no node returns a listed transaction. */
export async function findLanded(
  rows: readonly TransactionRow[],
  { address, infos, complete }: SignatureWindow,
  { rpc, store, take }: Pick<TransactionsContext, 'rpc' | 'store'> & { take: Take },
): Promise<Map<string, SearchResult>> {
  const results = new Map<string, SearchResult>()
  const rowsToSearch = Math.max(1, Math.floor(SEARCH_LIMITS.verifications / (infos.length + 1)))
  const open = new Set(rows.slice(0, rowsToSearch))
  const unread = new Set(infos)
  const uncertain = new Set<TransactionRow>()

  /** False if the transaction could not be read. */
  const compare = async (info: SignatureInfo): Promise<boolean> => {
    if (!take()) return false
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
  // the one that succeeded counts. The oldest come first: somebody who sees a payment land cannot
  // hide it behind transfers to its payer.
  const oldestFirst = complete ? [...unread].toReversed() : []
  const successesFirst = oldestFirst.toSorted((a, b) => Number(a.err !== null) - Number(b.err !== null))
  for (const info of successesFirst.slice(0, SEARCH_LIMITS.fetches)) {
    if (open.size === 0) break
    if (!(await compare(info))) return results
  }
  const isAll = complete && unread.size === 0
  for (const row of open) results.set(row.id, { kind: isAll && !uncertain.has(row) ? 'absent' : 'unknown' })
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

type Take = (calls?: number) => boolean

/** Counts the calls of a pass. The result is false if too few of them, or no time, are left. */
export function createBudget(calls: number, clock: Clock, until: number): Take {
  let left = calls
  return (wanted = 1) => (left -= wanted) >= 0 && clock.now() < until
}
