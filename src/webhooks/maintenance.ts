import { type Kysely, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Logger } from '../platform/logger.ts'
import { createFailureLog } from '../platform/process/failure-log.ts'
import { type BackgroundLoop, createBackgroundLoop } from '../platform/async/background-loop.ts'
import { cancelForInactiveWebhooks } from './cancel.ts'
import { readWebhookStats, type WorkerMetrics } from './metrics.ts'

const INTERVAL_MS = 10_000
const CLEANUP_INTERVAL_MS = 600_000
/** Deliveries and attempts are kept this long. */
export const RETENTION_DAYS = 30
/** Responses are whole for these days, then only their first characters are kept. */
export const EXCERPT = { wholeDays: 3, keptCharacters: 100 } as const
const BATCH = 5_000

/** Updates gauges, cancels deliveries of inactive webhooks, and deletes old rows and responses. */
export function createMaintenance(options: {
  kysely: Kysely<Database>
  logger: Pick<Logger, 'warn'>
  metrics: WorkerMetrics
}): BackgroundLoop {
  const { kysely, logger, metrics } = options
  let cleanupAt = performance.now()
  const step = async (signal: AbortSignal): Promise<number> => {
    const untilDone = async (runBatch: (db: Kysely<Database>) => Promise<number>): Promise<void> => {
      while (!signal.aborted && (await runBatch(kysely)) > 0);
    }
    metrics.counted(await readWebhookStats(kysely))
    await untilDone(cancelForInactiveWebhooks)
    if (performance.now() >= cleanupAt) {
      await untilDone(deleteOldRows)
      cleanupAt = performance.now() + CLEANUP_INTERVAL_MS
    }
    return INTERVAL_MS
  }
  const failures = createFailureLog(logger, 'webhook maintenance failed, retrying')
  return createBackgroundLoop({ step, failures, retryMs: INTERVAL_MS })
}

/**
 * Deletes one batch of each kind of row that is older than the retention, shortens a batch of old
 * responses, and removes replaced secrets whose time has ended. Returns the total.
 */
export async function deleteOldRows(db: Kysely<Database>): Promise<number> {
  const daysAgo = (days: number) => sql`now() - ${sql.lit(days)} * interval '1 day'`
  const oldest = daysAgo(RETENTION_DAYS)
  const { wholeDays, keptCharacters } = EXCERPT
  const statements = [
    // Responses of one day, so that not all old ones are read again.
    sql`update webhook_attempts set response_excerpt = left(response_excerpt, ${sql.lit(keptCharacters)})
      where ctid in (
        select ctid from webhook_attempts
        where started_at between ${daysAgo(wholeDays + 1)} and ${daysAgo(wholeDays)}
          and length(response_excerpt) > ${sql.lit(keptCharacters)} limit ${sql.lit(BATCH)})`,
    sql`delete from webhook_attempts where ctid in (
      select ctid from webhook_attempts where started_at < ${oldest} limit ${sql.lit(BATCH)})`,
    sql`delete from webhook_deliveries where ctid in (
      select ctid from webhook_deliveries where created_at < ${oldest} and completed_at < ${oldest}
      limit ${sql.lit(BATCH)} for update skip locked)`,
    // Outcomes lock webhooks in the order of their ids, too.
    sql`update webhook_subscriptions set previous_secret_encrypted = null, previous_secret_until = null
      where id in (
        select id from webhook_subscriptions where previous_secret_until < now()
        order by id limit ${sql.lit(BATCH)} for no key update skip locked)`,
    sql`delete from webhook_subscriptions s where deleted_at < ${oldest}
      and not exists (select from webhook_deliveries d where d.subscription_id = s.id)`,
  ]
  let deleted = 0
  for (const statement of statements) deleted += Number((await statement.execute(db)).numAffectedRows ?? 0)
  return deleted
}

/** A claim and its outcome leave two dead rows, which later claims step over. */
const MAX_CLAIMED = 1_000
/** The vacuum may use this share of the time, however long the queue is. */
const SHARE = 0.1

export type QueueVacuum = ReturnType<typeof createQueueVacuum>

/** Removes the dead rows of webhook_queue. Autovacuum comes once a minute: a burst is shorter. */
export function createQueueVacuum(kysely: Kysely<Database>, logger: Pick<Logger, 'warn'>) {
  const failures = createFailureLog(logger, 'the vacuum of webhook_queue failed')
  let sinceLast = 0
  let notBefore = 0
  let running: Promise<void> | undefined
  const vacuum = async (): Promise<void> => {
    const startedAt = performance.now()
    sinceLast = 0
    try {
      await sql`vacuum (skip_locked, truncate false, index_cleanup on) webhook_queue`.execute(kysely)
      failures.clear()
    } catch (err) {
      failures.report(err)
    }
    const now = performance.now()
    notBefore = now + (now - startedAt) / SHARE
    running = undefined
  }
  return {
    /** Adds deliveries that were claimed. Starts a vacuum if there were many since the last one. */
    add: (claimed: number): void => {
      sinceLast += claimed
      if (sinceLast >= MAX_CLAIMED && running === undefined && performance.now() >= notBefore)
        running = vacuum()
    },
    /** Resolves when no vacuum is running. */
    onIdle: async (): Promise<void> => running,
  }
}
