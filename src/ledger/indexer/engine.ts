import type { Kysely } from 'kysely'
import PQueue from 'p-queue'
import type { Database } from '../../db/database.ts'
import { batchesOf, chunksOf } from '../../platform/async/promises.ts'
import { pipelined } from '../../platform/async/pipeline.ts'
import { type IndexedRows, UNREAD_TRANSACTION_KINDS } from '../decode/rows.ts'
import type { SignatureInfo } from '../decode/rpc-transaction.ts'
import {
  BatchFetcher,
  type BatchFetcherOptions,
  type FetchedBatch,
  joinBatches,
} from './fetch/batch-fetcher.ts'
import { fetchAccounts } from './fetch/fetch-accounts.ts'
import {
  type CaughtUp,
  type IndexerPosition,
  type NonFinalAccounts,
  type OpenedLedger,
  positionAfter,
  storePosition,
} from './position.ts'
import {
  copyEvents,
  type EventSink,
  isUniqueViolation,
  markOrphaned,
  mergeEvents,
} from './write/write-events.ts'
import { writeAccounts } from './write/write-accounts.ts'

export interface EngineOptions extends OpenedLedger, BatchFetcherOptions {
  /** Transactions per batch. */
  batchSize: number
  /** Maximum batches that are fetched ahead, and that one database transaction writes. */
  inFlight: number
  transaction: (work: Work) => Promise<void>
  sink: EventSink
  /** When the leader last caught up with the ledger. Stored with each commit. */
  caughtUp?: () => CaughtUp | null
  /** Called after each commit of transactions. */
  onWritten: (rows: IndexedRows) => void
  /** Called with listed transactions that were read, also failed ones and those that were known. */
  onIngested?: (infos: readonly SignatureInfo[]) => void
}

export interface IngestOptions {
  /** The transactions come next after the cursor. */
  movesCursor?: boolean
  /** The tables contain no transaction yet. */
  tablesAreEmpty?: boolean
}

type Work = (db: Kysely<Database>) => Promise<void>
type PositionChange = (position: IndexerPosition) => IndexerPosition

const unchanged: PositionChange = (position) => position

/**
 * Fetches transactions and accounts and writes them. The leader's loop and the finality check use
 * it at the same time: they fetch concurrently, and write one after the other.
 */
export class IndexerEngine {
  position: IndexerPosition
  /** Every account must be read, because no transaction may lead to some of them. */
  needsSweep: boolean
  readonly options: EngineOptions
  readonly nonFinalAccounts: NonFinalAccounts
  readonly #writes = new PQueue({ concurrency: 1 })
  readonly #fetcher: BatchFetcher
  /** Unread transactions that have already led to a sweep, by the id of their dead letter. */
  readonly #unread = new Set<string>()
  #commits: number

  constructor(options: EngineOptions) {
    this.options = options
    this.position = options.position
    this.needsSweep = options.needsSweep
    this.nonFinalAccounts = options.nonFinalAccounts
    this.#commits = options.commits
    this.#fetcher = new BatchFetcher(options)
  }

  /** Fetches and writes listed transactions. Fetches ahead while it writes. */
  async ingest(
    pages: AsyncIterable<readonly SignatureInfo[]> | Iterable<readonly SignatureInfo[]>,
    options: IngestOptions = {},
  ): Promise<void> {
    const { batchSize, inFlight } = this.options
    const fetch = (infos: SignatureInfo[]) => this.#fetcher.fetch(infos, options.tablesAreEmpty)
    try {
      for await (const fetched of pipelined(batchesOf(pages, batchSize), inFlight, fetch))
        for (const batch of joinBatches(fetched)) {
          await this.#write(batch, options)
          this.options.onIngested?.(batch.infos)
        }
    } catch (error) {
      this.#fetcher.resetCache()
      throw error
    }
  }

  /** Reads accounts again after a fork, and applies `work` in the same transaction. */
  async restore(pdas: readonly string[], work: Work, change = unchanged): Promise<void> {
    // Inside the lock, so that no earlier read is written afterwards.
    await this.#writes.add(async () => {
      this.#fetcher.resetCache()
      const snapshots = await fetchAccounts(this.options.rpc, pdas, this.options)
      await this.#commit(change, async (db) => {
        await work(db)
        await writeAccounts(db, snapshots, { force: true })
      })
      this.nonFinalAccounts.add(snapshots)
    })
  }

  /** Reads and writes accounts. `commitment` may be higher than the indexer's. */
  async refreshAccounts(
    pdas: readonly string[],
    { commitment = this.options.commitment, minContextSlot = this.position.cursor.slot } = {},
  ): Promise<void> {
    const { rpc, programId } = this.options
    const { cache } = this.#fetcher
    const snapshots = await fetchAccounts(rpc, pdas, { programId, commitment, minContextSlot })
    const isFinal = commitment === 'finalized'
    await this.store((db) => writeAccounts(db, snapshots, { keepUnchanged: isFinal }))
    cache.add(snapshots)
    if (!isFinal) this.nonFinalAccounts.add(snapshots)
  }

  /**
   * Commits `work` and the position together, or neither if this process is no longer the leader.
   */
  async store(work: Work, change = unchanged): Promise<void> {
    await this.#writes.add(() => this.#commit(change, work))
  }

  async #commit(change: PositionChange, work: Work): Promise<void> {
    const position = change(this.position)
    await this.options.transaction(async (db) => {
      const { epoch, caughtUp } = this.options
      await storePosition(db, { epoch, commits: this.#commits, position }, caughtUp?.() ?? null)
      await work(db)
    })
    this.#commits += 1
    this.position = position
  }

  /** If COPY fails because the tables contain a row, fetches the batch again and merges it. */
  async #write(batch: FetchedBatch, options: IngestOptions): Promise<void> {
    try {
      await this.#writeBatch(batch, options)
    } catch (error) {
      if (batch.copyRows === null || !isUniqueViolation(error)) throw error
      // The accounts read for this batch were not written.
      this.#fetcher.resetCache()
      for (const infos of chunksOf(batch.infos, this.options.batchSize))
        await this.#writeBatch({ ...(await this.#fetcher.fetch(infos)), copyRows: null }, options)
    }
  }

  async #writeBatch(
    { infos, moved, rows, copyRows, accounts }: FetchedBatch,
    { movesCursor = false }: IngestOptions,
  ): Promise<void> {
    const { sink } = this.options
    const change: PositionChange = movesCursor
      ? (position) => positionAfter(position, infos, this.options.finalizedTip)
      : unchanged
    await this.#writes.add(async () => {
      // A fork was noticed after the accounts were read: they may have the state of the fork.
      const { snapshots } =
        accounts.cache === this.#fetcher.cache ? accounts : await this.#fetcher.fetchAccounts(rows)
      await this.#commit(change, async (db) => {
        // A moved transaction may have other events and another state, and an earlier slot.
        if (moved.length > 0) await markOrphaned(db, moved, sink)
        if (copyRows === null) await mergeEvents(db, rows, sink)
        else await copyEvents(db, rows, copyRows, sink)
        await writeAccounts(db, snapshots, { force: moved.length > 0 })
      })
      this.nonFinalAccounts.add(snapshots)
    })
    for (const { kind, id } of rows.dead_letters) {
      if (!UNREAD_TRANSACTION_KINDS.includes(kind) || this.#unread.has(id)) continue
      this.#unread.add(id)
      this.needsSweep = true
    }
    this.options.onWritten(rows)
  }
}
