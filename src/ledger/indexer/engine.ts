import type { Kysely } from 'kysely'
import type { Database } from '../../db/tables.ts'
import type { LedgerRpc } from '../rpc.ts'
import { AccountReads } from './account-reads.ts'
import { lookUp } from './awaited-signatures.ts'
import { listBacklog } from './backlog.ts'
import { LETTERS_OF_WHOLE_TRANSACTIONS, type SignatureInfo } from './batch.ts'
import { markOrphaned } from './finality.ts'
import { fetchTransactions } from './fetch-transactions.ts'
import { unknownTransactions } from './known-transactions.ts'
import { readAccounts } from './read-accounts.ts'
import { pipelined } from './pipeline.ts'
import { batchesOf, mergePrepared, type Prepared } from './prepared.ts'
import { type IndexerPosition, storePosition } from './state.ts'
import { writeEvents } from './write-events.ts'
import { writeStates } from './write-state.ts'

/** How far below the finalized slot each check of finality begins again, for entries that a node lists late. */
export const FINALITY_OVERLAP_SLOTS = 150

export interface EngineOptions {
  rpc: LedgerRpc
  programId: string
  commitment: string
  signal: AbortSignal
  epoch: number
  position: IndexerPosition
  /** Some accounts may be known from no transaction. */
  sweepDue: boolean
  /** The finalized slot when reading began: entries well below it need no second look. */
  finalizedTip: number
  /** Transactions fetched at a time. */
  batchSize: number
  /** Batches fetched ahead of those that are written, and written in one database transaction, at most. */
  inFlight: number
  /** Outside of transactions. */
  db: () => Kysely<Database>
  transaction: (work: (db: Kysely<Database>) => Promise<void>) => Promise<void>
  /** Called after each commit. */
  onWritten: (progress: { transactions: number; events: number; outbox: number }) => void
}

/** Reads transactions into the tables. One call at a time: the indexer's loop and a rebuild are its only users. */
export class IndexerEngine {
  position: IndexerPosition
  /** Every account is to be read, since some may be known from no transaction. */
  sweepDue: boolean
  readonly options: EngineOptions
  #reads = new AccountReads()
  readonly #unread = new Set<string>()

  constructor(options: EngineOptions) {
    this.options = options
    this.position = options.position
    this.sweepDue = options.sweepDue
  }

  /** Reads everything that the node lists above the cursor; returns the signatures seen. */
  async catchUp(
    query: {
      minContextSlot?: number
      /** From the last finalized transaction on, since what lies above it may have changed. */
      again?: boolean
      onBacklog?: (count: number) => void
    } = {},
  ): Promise<Set<string>> {
    const { rpc, programId, commitment } = this.options
    const { cursor, finalizedSignature } = this.position
    const backlog = await listBacklog(rpc, {
      programId,
      commitment,
      until: query.again === true ? finalizedSignature : cursor.signature,
      minSlot: this.position.finalizedSlot - FINALITY_OVERLAP_SLOTS,
      ...(query.minContextSlot === undefined ? {} : { minContextSlot: query.minContextSlot }),
    })
    if (backlog.count > 0) query.onBacklog?.(backlog.count)
    const seen = new Set<string>()
    const note = backlog.count < 10_000 ? (signature: string) => seen.add(signature) : () => {}
    await this.#ingestPages(backlog.oldestFirst(), true, note)
    return seen
  }

  /** Whether a fork has moved the transaction at the cursor, or taken it away. */
  async hasForked(): Promise<boolean> {
    const { cursor, finalizedSlot } = this.position
    if (cursor.signature === null || cursor.slot <= finalizedSlot) return false
    const [found] = await lookUp(this.options.rpc, [cursor.signature])
    return found?.slot !== cursor.slot
  }

  /** Reads transactions that are no continuation of the cursor: late ones, and what a fork moved. */
  async ingest(infos: readonly SignatureInfo[]): Promise<void> {
    await this.#ingestPages([infos], false)
  }

  /** Reads accounts again after a fork and applies `work` in the same transaction. */
  async restore(pdas: readonly string[], work: (db: Kysely<Database>) => Promise<void>): Promise<void> {
    this.#forgetReads()
    const states = await readAccounts(this.options.rpc, pdas, this.options)
    await this.store(this.position, async (db) => {
      await work(db)
      await writeStates(db, states, { force: true })
    })
  }

  /** Reads accounts beside what transactions tell. */
  async refresh(pdas: readonly string[]): Promise<void> {
    const minContextSlot = this.position.cursor.slot
    const states = await readAccounts(this.options.rpc, pdas, { ...this.options, minContextSlot })
    await this.store(this.position, (db) => writeStates(db, states))
    this.#reads.remember(states)
  }

  /** Commits `work` together with the position; neither when another indexer has taken over. */
  async store(position: IndexerPosition, work: (db: Kysely<Database>) => Promise<void>): Promise<void> {
    await this.options.transaction(async (db) => {
      await storePosition(db, this.options.epoch, position)
      await work(db)
    })
    this.position = position
  }

  async #ingestPages(
    pages: AsyncIterable<readonly SignatureInfo[]> | Iterable<readonly SignatureInfo[]>,
    moveCursor: boolean,
    note: (signature: string) => void = () => {},
  ): Promise<void> {
    const { batchSize, inFlight } = this.options
    try {
      const prepared = pipelined(batchesOf(pages, batchSize), inFlight, (infos) => this.#prepare(infos))
      for await (const ready of prepared)
        for (const batch of mergePrepared(ready)) {
          await this.#write(batch, moveCursor)
          for (const { signature } of batch.infos) note(signature)
        }
    } catch (error) {
      this.#forgetReads()
      throw error
    }
  }

  async #prepare(infos: SignatureInfo[]): Promise<Prepared> {
    const { rpc, programId, commitment, db } = this.options
    const successful = new Map(infos.filter(({ err }) => err === null).map((info) => [info.signature, info]))
    const { wanted, moved } = await unknownTransactions(db(), [...successful.values()])
    if (moved.length > 0) this.#forgetReads()
    const reads = this.#reads
    const decoded = await fetchTransactions(rpc, wanted, this.options)
    const pdas = reads.stale(decoded)
    const minContextSlot = Math.max(0, ...decoded.transactions.map((transaction) => transaction.slot))
    const states =
      pdas.length === 0 ? [] : await readAccounts(rpc, pdas, { programId, commitment, minContextSlot })
    reads.remember(states)
    return { infos, moved, decoded, states }
  }

  /** After a fork or a failed write, what was read counts no more; nor what is being read now. */
  #forgetReads(): void {
    this.#reads = new AccountReads()
  }

  async #write({ infos, moved, decoded, states }: Prepared, moveCursor: boolean): Promise<void> {
    await this.store(moveCursor ? this.#positionAfter(infos) : this.position, async (db) => {
      // Its events, and the state after it, need not be what they were; and its new slot may be an earlier one.
      if (moved.length > 0) await markOrphaned(db, moved)
      await writeEvents(db, decoded)
      await writeStates(db, states, { force: moved.length > 0 })
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

  #positionAfter(infos: readonly SignatureInfo[]): IndexerPosition {
    const last = infos.at(-1)
    if (last === undefined) return this.position
    const { finalizedSlot, finalizedSignature } = this.position
    const settledBelow = this.options.finalizedTip - FINALITY_OVERLAP_SLOTS
    const settled = last.confirmationStatus === 'finalized' && last.slot < settledBelow
    return {
      cursor: { slot: last.slot, signature: last.signature },
      finalizedSlot,
      finalizedSignature: settled ? last.signature : finalizedSignature,
    }
  }
}
