import type { Kysely } from 'kysely'
import { settleBoth } from '../../platform/async/settle-both.ts'
import type { Database } from '../../db/database.ts'
import { assertWhole, listBacklog } from './fetch/signature-listing.ts'
import { LETTERS_OF_WHOLE_TRANSACTIONS, type SignatureInfo } from '../decode/rows.ts'
import { isHeldAlready } from './write/copy-rows.ts'
import { markOrphaned } from './write/mark-transactions.ts'
import { HistoryGaps } from './history-gaps.ts'
import type { CatchUpQuery, EngineOptions } from './engine-options.ts'
import { holdsTransactions } from './fetch/known-transactions.ts'
import { Mutex } from '../../platform/async/mutex.ts'
import { pipelined } from '../../platform/async/pipeline.ts'
import { batchesOf, mergePrepared, type Prepared, slices } from './fetch/fetched-batch.ts'
import { readAccounts } from './fetch/fetch-accounts.ts'
import { FINALITY_OVERLAP_SLOTS, type IndexerPosition, positionAfter, storePosition } from './position.ts'
import { TransactionReader } from './fetch/batch-fetcher.ts'
import { UnsettledReads } from './finality/non-final-accounts.ts'
import { copyEvents, mergeEvents } from './write/write-events.ts'
import { writeStates } from './write/write-accounts.ts'

interface Ingestion {
  /** What is read comes next after the cursor. */
  moveCursor: boolean
  /** The tables were filled from no transaction yet. */
  fromNothing?: boolean
  note?: (signature: string) => void
}

type Work = (db: Kysely<Database>) => Promise<void>

const unchanged = (position: IndexerPosition): IndexerPosition => position

/**
 * Reads transactions into the tables. The check of finality may use it beside the loop that follows the ledger: both read the
 * node at the same time, and write in turns.
 */
export class IndexerEngine {
  position: IndexerPosition
  /** Every account is to be read, since some may be known from no transaction. */
  sweepDue: boolean
  readonly options: EngineOptions
  readonly unsettled: UnsettledReads
  readonly #writes = new Mutex()
  readonly #reader: TransactionReader
  readonly #unread = new Set<string>()
  readonly #gaps = new HistoryGaps()
  #commits: number

  constructor(options: EngineOptions) {
    this.options = options
    this.position = options.position
    this.#commits = options.commits
    this.sweepDue = options.sweepDue
    this.#reader = new TransactionReader(options)
    this.unsettled = options.unsettled ?? new UnsettledReads()
  }

  /** Reads everything that the node lists above the cursor; returns the signatures seen. */
  async catchUp(query: CatchUpQuery = {}): Promise<Set<string>> {
    const { rpc, programId, commitment } = this.options
    const { cursor, finalizedSignature } = this.position
    const until = query.again === true ? finalizedSignature : cursor.signature
    const listing = listBacklog(rpc, {
      programId,
      commitment,
      until,
      minSlot: this.position.finalizedSlot - FINALITY_OVERLAP_SLOTS,
      ...(query.minContextSlot === undefined ? {} : { minContextSlot: query.minContextSlot }),
    })
    const [backlog] = await settleBoth(listing, query.meanwhile?.() ?? Promise.resolve())
    if (backlog.count > 0) query.onBacklog?.(backlog.count)
    if (backlog.count === 0 || backlog.complete) this.#gaps.none()
    else if (until === null) assertWhole(backlog)
    else await this.#gaps.found(this, backlog)
    const seen = new Set<string>()
    const note = backlog.count < 10_000 ? (signature: string) => seen.add(signature) : () => {}
    const fromNothing =
      this.options.copies && cursor.signature === null && !(await holdsTransactions(this.options.db()))
    await this.#ingestPages(backlog.oldestFirst(), { moveCursor: true, fromNothing, note })
    return seen
  }

  /** Reads transactions that are no continuation of the cursor: late ones, and what a fork moved. */
  async ingest(infos: readonly SignatureInfo[]): Promise<void> {
    await this.#ingestPages([infos], { moveCursor: false })
  }

  /** Reads accounts again after a fork and applies `work` in the same transaction. */
  async restore(pdas: readonly string[], work: Work, change = unchanged): Promise<void> {
    // Under the lock, so that nothing read before is written after.
    await this.#writes.run(async () => {
      this.#reader.forget()
      const states = await readAccounts(this.options.rpc, pdas, this.options)
      await this.#commit(change, async (db) => {
        await work(db)
        await writeStates(db, states, { force: true })
      })
      this.unsettled.add(states)
    })
  }

  /** Reads accounts beside what transactions tell; `commitment` may be a higher one than the indexer's. */
  async refresh(
    pdas: readonly string[],
    { commitment = this.options.commitment, minContextSlot = this.position.cursor.slot } = {},
  ): Promise<void> {
    const { rpc, programId } = this.options
    const { reads } = this.#reader
    const states = await readAccounts(rpc, pdas, { programId, commitment, minContextSlot })
    const final = commitment === 'finalized'
    await this.store((db) => writeStates(db, states, { keepUnchanged: final }))
    reads.remember(states)
    if (!final) this.unsettled.add(states)
  }

  /** Commits `work` together with the position; neither when another indexer has taken over. */
  async store(work: Work, change = unchanged): Promise<void> {
    await this.#writes.run(() => this.#commit(change, work))
  }

  async #commit(change: (position: IndexerPosition) => IndexerPosition, work: Work): Promise<void> {
    const position = change(this.position)
    await this.options.transaction(async (db) => {
      await storePosition(db, { epoch: this.options.epoch, commits: this.#commits, position })
      await work(db)
    })
    this.#commits += 1
    this.position = position
  }

  async #ingestPages(
    pages: AsyncIterable<readonly SignatureInfo[]> | Iterable<readonly SignatureInfo[]>,
    ingestion: Ingestion,
  ): Promise<void> {
    const { batchSize, inFlight } = this.options
    const prepare = (infos: SignatureInfo[]): Promise<Prepared> =>
      this.#reader.prepare(infos, ingestion.fromNothing)
    try {
      for await (const ready of pipelined(batchesOf(pages, batchSize), inFlight, prepare))
        for (const batch of mergePrepared(ready)) {
          await this.#write(batch, ingestion)
          for (const { signature } of batch.infos) ingestion.note?.(signature)
        }
    } catch (error) {
      this.#reader.forget()
      throw error
    }
  }

  /** Where the tables turn out to hold some of what was taken for new, all of it is looked at again. */
  async #write(batch: Prepared, ingestion: Ingestion): Promise<void> {
    try {
      await this.#writeAs(batch, ingestion)
    } catch (error) {
      if (batch.copied === null || !isHeldAlready(error)) throw error
      // What was read for it was not written.
      this.#reader.forget()
      for (const infos of slices(batch.infos, this.options.batchSize))
        await this.#writeAs({ ...(await this.#reader.prepare(infos)), copied: null }, ingestion)
    }
  }

  async #writeAs(
    { infos, moved, decoded, copied, ...read }: Prepared,
    { moveCursor }: Ingestion,
  ): Promise<void> {
    const change = moveCursor
      ? (position: IndexerPosition) => positionAfter(position, infos, this.options.finalizedTip)
      : unchanged
    await this.#writes.run(async () => {
      // What was read before a fork was noticed may be what the fork took back.
      const { states } = read.reads === this.#reader.reads ? read : await this.#reader.readStale(decoded)
      await this.#commit(change, async (db) => {
        // Its events, and the state after it, need not be what they were; and its new slot may be an earlier one.
        if (moved.length > 0) await markOrphaned(db, moved)
        if (copied === null) await mergeEvents(db, decoded)
        else await copyEvents(db, decoded, copied)
        await writeStates(db, states, { force: moved.length > 0 })
      })
      this.unsettled.add(states)
    })
    for (const { kind, id } of decoded.deadLetters) {
      if (!LETTERS_OF_WHOLE_TRANSACTIONS.includes(kind) || this.#unread.has(id)) continue
      this.#unread.add(id)
      this.sweepDue = true
    }
    const { transactions, events, outbox } = decoded
    this.options.onWritten({
      transactions: transactions.length,
      events: events.length,
      outbox: outbox.length,
    })
  }
}
