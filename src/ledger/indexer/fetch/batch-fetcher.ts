import type { Kysely } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { type AccountSnapshot, pdasOf } from '../../decode/decode-account.ts'
import { type IndexedRows, joinRows } from '../../decode/rows.ts'
import type { SignatureInfo } from '../../decode/rpc-transaction.ts'
import type { LedgerRpc } from '../../rpc/ledger-rpc.ts'
import { type CopyRows, encodeCopyRows, joinCopyRows, type TransactionInSlot } from '../write/write-events.ts'
import { fetchAccounts } from './fetch-accounts.ts'
import { type FetchOptions, fetchTransactions } from './fetch-transactions.ts'
import { findTransactionsToFetch } from './signature-listing.ts'

export interface BatchFetcherOptions extends FetchOptions {
  rpc: LedgerRpc
  /** For reads outside of transactions. */
  db: () => Kysely<Database>
  /**
   * Writes new rows by COPY. If the tables contain a row already, the transaction that writes them
   * must be able to start again. Otherwise all rows are merged.
   */
  useCopy: boolean
}

/** Fetched and decoded transactions, and the accounts that they changed. */
export interface FetchedBatch {
  /** All listed transactions, also failed ones and those already in the tables. */
  infos: SignatureInfo[]
  /** The rows of transactions that a fork has moved to another slot or index. */
  moved: TransactionInSlot[]
  rows: IndexedRows
  /** The same rows encoded for COPY. Null if the tables may contain some of them. */
  copyRows: CopyRows | null
  accounts: {
    snapshots: AccountSnapshot[]
    /** The cache by which other accounts were not read. */
    cache: AccountReadCache
  }
}

const MAX_CACHED = 200_000

/**
 * The slots at which accounts were last read, so that catching up reads each account about once.
 */
export class AccountReadCache {
  readonly #slots = new Map<string, number>()

  /** The accounts not read since the slots of the transactions that wrote them. */
  findOutdated({ ledger_transactions: transactions }: IndexedRows): string[] {
    const outdated = new Set<string>()
    for (const { slot, accounts } of transactions)
      for (const pda of accounts) if ((this.#slots.get(pda) ?? -1) <= slot) outdated.add(pda)
    return [...outdated]
  }

  add(snapshots: readonly AccountSnapshot[]): void {
    if (this.#slots.size > MAX_CACHED) this.#slots.clear()
    for (const snapshot of snapshots) for (const pda of pdasOf(snapshot)) this.#slots.set(pda, snapshot.slot)
  }
}

/** Fetches the transactions of a listing, and the accounts that they changed. */
export class BatchFetcher {
  readonly #options: BatchFetcherOptions
  #cache = new AccountReadCache()

  constructor(options: BatchFetcherOptions) {
    this.#options = options
  }

  /** The accounts read since the last `resetCache`. */
  get cache(): AccountReadCache {
    return this.#cache
  }

  /** With `tablesAreEmpty`, skips the check which transactions the tables contain. */
  async fetch(infos: SignatureInfo[], tablesAreEmpty = false): Promise<FetchedBatch> {
    const { rpc, db, useCopy } = this.#options
    const successful = new Map(infos.filter(({ err }) => err === null).map((info) => [info.signature, info]))
    for (const { signature, slot, err } of infos)
      if (err !== null) this.#options.onSeen?.(slot, { signature, transaction: null })
    const listed = [...successful.values()]
    const toFetch = tablesAreEmpty
      ? { infos: listed, moved: [], areNew: true }
      : await findTransactionsToFetch(db(), listed)
    if (toFetch.moved.length > 0) this.resetCache()
    const rows = await fetchTransactions(rpc, toFetch.infos, this.#options)
    // Encoded here, so that the database does not wait for it.
    const copyRows = useCopy && toFetch.areNew ? encodeCopyRows(rows) : null
    return { infos, moved: toFetch.moved, rows, copyRows, accounts: await this.fetchAccounts(rows) }
  }

  /** Reads the accounts that these transactions wrote and that were not read since. */
  async fetchAccounts(rows: IndexedRows): Promise<FetchedBatch['accounts']> {
    const { rpc, programId, commitment } = this.#options
    const cache = this.#cache
    const pdas = cache.findOutdated(rows)
    if (pdas.length === 0) return { cache, snapshots: [] }
    const minContextSlot = Math.max(0, ...rows.ledger_transactions.map((transaction) => transaction.slot))
    const snapshots = await fetchAccounts(rpc, pdas, { programId, commitment, minContextSlot })
    cache.add(snapshots)
    return { cache, snapshots }
  }

  /** After a fork or a failed write, earlier reads no longer count, nor reads in progress. */
  resetCache(): void {
    this.#cache = new AccountReadCache()
  }
}

/**
 * Joins consecutive batches, so that one database transaction writes them. A batch with moved
 * transactions stays separate.
 */
export function joinBatches(batches: readonly FetchedBatch[]): FetchedBatch[] {
  const groups: [FetchedBatch, ...FetchedBatch[]][] = []
  for (const batch of batches) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    if (last?.accounts.cache !== batch.accounts.cache || last.moved.length > 0 || batch.moved.length > 0)
      groups.push([batch])
    else group?.push(batch)
  }
  return groups.map((group) => (group.length === 1 ? group[0] : joinGroup(group)))
}

function joinGroup(batches: [FetchedBatch, ...FetchedBatch[]]): FetchedBatch {
  const { cache } = batches[0].accounts
  return {
    infos: batches.flatMap((batch) => batch.infos),
    moved: [],
    rows: joinRows(batches.map((batch) => batch.rows)),
    copyRows: joinCopyRows(batches.map((batch) => batch.copyRows)),
    accounts: { cache, snapshots: batches.flatMap((batch) => batch.accounts.snapshots) },
  }
}
