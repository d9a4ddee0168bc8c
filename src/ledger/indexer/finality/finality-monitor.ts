import type { IndexerContext } from '../context.ts'
import type { IndexerEngine } from '../engine.ts'
import { fetchStatuses } from '../fetch/fetch-statuses.ts'
import { fillHistoryGaps } from './fill-history-gaps.ts'
import { verifyFinality } from './verify-finality.ts'

/**
 * How often dead letters are retried: the node may find the data again, or there is another node.
 */
const RETRY_MS = 60_000
const MAX_RETRIES = 100

/** Checks finality next to the leader's loop, so that the loop never waits for a slow check. */
export interface FinalityMonitor {
  /** Starts a check if one is due. Throws the error of the previous check, once. */
  tick(): void
  /** Resolves when no check is running. */
  idle(): Promise<void>
}

export function createFinalityMonitor(context: IndexerContext, engine: IndexerEngine): FinalityMonitor {
  const { status, options } = context
  const { clock, logger, verifyMs = 2_000 } = options
  let running: Promise<void> | undefined
  let failure: { error: unknown } | undefined
  let nextCheckAt = -Infinity
  let nextRetryAt = -Infinity

  async function check(): Promise<void> {
    const report = await verifyFinality(engine)
    status.counters.late += report.late
    status.counters.finalized += report.finalized
    status.finalizedSlot = engine.position.finalizedSlot
    reportOrphans(context, report.orphaned)
    const { count } = await engine.options
      .db()
      .selectFrom('dead_letters')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    status.deadLetters = count
    if (count > 0) await retryDeadLetters()
    logger.debug(report, 'finality checked')
  }

  async function retryDeadLetters(): Promise<void> {
    const isDue = clock.now() >= nextRetryAt
    if (isDue) nextRetryAt = clock.now() + RETRY_MS
    const gaps = await fillHistoryGaps(engine, isDue ? 'all' : 'recent')
    if (gaps > 0) logger.info({ gaps }, 'filled gaps in the history')
    if (isDue) await retryMissingTransactions(engine)
  }

  return {
    tick() {
      const previous = failure
      failure = undefined
      if (previous !== undefined) throw previous.error
      const startedAt = clock.now()
      if (running !== undefined || startedAt < nextCheckAt) return
      running = check()
        .catch((error: unknown) => {
          failure = { error }
        })
        .finally(() => {
          running = undefined
          // Checks take at most a tenth of the time.
          nextCheckAt = clock.now() + Math.max(verifyMs, 9 * (clock.now() - startedAt))
        })
    },
    idle: async () => running,
  }
}

async function retryMissingTransactions(engine: IndexerEngine): Promise<void> {
  const deadLetters = await engine.options
    .db()
    .selectFrom('dead_letters')
    .select('signature')
    .where('kind', '=', 'missing_transaction')
    .orderBy('slot')
    .limit(MAX_RETRIES)
    .execute()
  const signatures = deadLetters.flatMap(({ signature }) => signature ?? [])
  const found = await fetchStatuses(engine.options.rpc, signatures)
  if (found.length > 0) await engine.ingest([found])
}

export function reportOrphans({ options, status }: IndexerContext, orphaned: number): void {
  status.counters.orphaned += orphaned
  if (orphaned > 0) options.logger.warn({ transactions: orphaned }, 'a fork removed transactions')
}
