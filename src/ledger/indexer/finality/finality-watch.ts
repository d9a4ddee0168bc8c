import { lookUp } from '../awaited-signatures.ts'
import type { IndexerEngine } from '../engine.ts'
import { fillHistoryGaps } from '../history-gaps.ts'
import { verifyFinality } from './verify-finality.ts'
import type { IndexerContext } from '../indexer-context.ts'

/** Checks finality beside the loop that follows the ledger, so that it never waits for a slow check. */
export class FinalityWatch {
  readonly #context: IndexerContext
  readonly #engine: IndexerEngine
  #running: Promise<void> | undefined
  #failure: { error: unknown } | undefined
  #nextAt = -Infinity
  #askAgainAt = -Infinity

  constructor(context: IndexerContext, engine: IndexerEngine) {
    this.#context = context
    this.#engine = engine
  }

  /** Begins a check when one is due. Throws what ended the last one, once. */
  tick(): void {
    const failure = this.#failure
    this.#failure = undefined
    if (failure !== undefined) throw failure.error
    const { clock, verifyMs = 2_000 } = this.#context.options
    if (this.#running !== undefined || clock.now() < this.#nextAt) return
    const began = clock.now()
    this.#running = this.#check()
      .catch((error: unknown) => {
        this.#failure = { error }
      })
      .finally(() => {
        this.#running = undefined
        // A tenth of the time at most.
        this.#nextAt = clock.now() + Math.max(verifyMs, 9 * (clock.now() - began))
      })
  }

  /** Resolves when no check is under way. */
  async idle(): Promise<void> {
    await this.#running
  }

  async #check(): Promise<void> {
    const { options, status } = this.#context
    const report = await verifyFinality(this.#engine)
    status.counters.late += report.late
    status.counters.finalized += report.finalized
    status.finalizedSlot = this.#engine.position.finalizedSlot
    noteOrphans(this.#context, report.orphaned)
    const letters = await this.#engine.options
      .db()
      .selectFrom('dead_letters')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    status.deadLetters = letters.count
    if (letters.count > 0) {
      const isDue = options.clock.now() >= this.#askAgainAt
      if (isDue) this.#askAgainAt = options.clock.now() + ASK_AGAIN_MS
      await this.#fillGaps(isDue)
      if (isDue) await this.#askAgain()
    }
    options.logger.debug(report, 'finality checked')
  }

  async #fillGaps(all: boolean): Promise<void> {
    const gaps = await fillHistoryGaps(this.#engine, all ? 'all' : 'recent')
    if (gaps > 0)
      this.#context.options.logger.info({ gaps }, 'history that no node had shown was read after all')
  }

  async #askAgain(): Promise<void> {
    const { rpc, db } = this.#engine.options
    const letters = await db()
      .selectFrom('dead_letters')
      .select('signature')
      .where('kind', '=', 'missing_transaction')
      .orderBy('slot')
      .limit(ASKED_AGAIN)
      .execute()
    const found = await lookUp(
      rpc,
      letters.flatMap(({ signature }) => signature ?? []),
    )
    if (found.length > 0) await this.#engine.ingest(found)
  }
}

/** A node that has lost a transaction may find it again, and another one may be asked by now. */
const ASK_AGAIN_MS = 60_000
const ASKED_AGAIN = 100

export function noteOrphans({ options, status }: IndexerContext, orphaned: number): void {
  status.counters.orphaned += orphaned
  if (orphaned > 0) options.logger.warn({ transactions: orphaned }, 'a fork took transactions back')
}
