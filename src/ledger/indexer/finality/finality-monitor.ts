import type { IndexerContext } from '../context.ts'
import type { IndexerEngine } from '../engine.ts'
import { fetchStatuses } from '../fetch/fetch-statuses.ts'
import { fillHistoryGaps } from './fill-history-gaps.ts'
import { verifyFinality } from './verify-finality.ts'

/** How often dead letters are retried: the node may find the data again, or there is another node. */
const RETRY_MS = 60_000
const MAX_RETRIES = 100

/** Checks finality next to the leader's loop, so that the loop never waits for a slow check. */
export class FinalityMonitor {
  readonly #context: IndexerContext
  readonly #engine: IndexerEngine
  #running: Promise<void> | undefined
  #failure: { error: unknown } | undefined
  #nextCheckAt = -Infinity
  #nextRetryAt = -Infinity

  constructor(context: IndexerContext, engine: IndexerEngine) {
    this.#context = context
    this.#engine = engine
  }

  /** Starts a check if one is due. Throws the error of the previous check, once. */
  tick(): void {
    const failure = this.#failure
    this.#failure = undefined
    if (failure !== undefined) throw failure.error
    const { clock, verifyMs = 2_000 } = this.#context.options
    const startedAt = clock.now()
    if (this.#running !== undefined || startedAt < this.#nextCheckAt) return
    this.#running = this.#check()
      .catch((error: unknown) => {
        this.#failure = { error }
      })
      .finally(() => {
        this.#running = undefined
        // Checks take at most a tenth of the time.
        this.#nextCheckAt = clock.now() + Math.max(verifyMs, 9 * (clock.now() - startedAt))
      })
  }

  /** Resolves when no check is running. */
  async idle(): Promise<void> {
    await this.#running
  }

  async #check(): Promise<void> {
    const { options, status } = this.#context
    const report = await verifyFinality(this.#engine)
    status.counters.late += report.late
    status.counters.finalized += report.finalized
    status.finalizedSlot = this.#engine.position.finalizedSlot
    reportOrphans(this.#context, report.orphaned)
    const { count } = await this.#engine.options
      .db()
      .selectFrom('dead_letters')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    status.deadLetters = count
    if (count > 0) await this.#retryDeadLetters()
    options.logger.debug(report, 'finality checked')
  }

  async #retryDeadLetters(): Promise<void> {
    const { clock, logger } = this.#context.options
    const isDue = clock.now() >= this.#nextRetryAt
    if (isDue) this.#nextRetryAt = clock.now() + RETRY_MS
    const gaps = await fillHistoryGaps(this.#engine, isDue ? 'all' : 'recent')
    if (gaps > 0) logger.info({ gaps }, 'filled gaps in the history')
    if (isDue) await this.#retryMissingTransactions()
  }

  async #retryMissingTransactions(): Promise<void> {
    const { rpc, db } = this.#engine.options
    const deadLetters = await db()
      .selectFrom('dead_letters')
      .select('signature')
      .where('kind', '=', 'missing_transaction')
      .orderBy('slot')
      .limit(MAX_RETRIES)
      .execute()
    const signatures = deadLetters.flatMap(({ signature }) => signature ?? [])
    const found = await fetchStatuses(rpc, signatures)
    if (found.length > 0) await this.#engine.ingest([found])
  }
}

export function reportOrphans({ options, status }: IndexerContext, orphaned: number): void {
  status.counters.orphaned += orphaned
  if (orphaned > 0) options.logger.warn({ transactions: orphaned }, 'a fork removed transactions')
}
