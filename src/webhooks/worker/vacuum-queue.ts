import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Logger } from '../../platform/logger.ts'
import { createFailureLog } from '../../platform/process/failure-log.ts'

/** A claim and its outcome leave two dead rows, which later claims step over. */
const MAX_CHANGED = 1_000
/** The vacuum may use this share of the time, however long the queue is. */
const SHARE = 0.1

/** Removes the dead rows of webhook_queue: autovacuum comes once a minute, too late for a burst. */
export interface QueueVacuum {
  /** Adds deliveries that were claimed. Starts a vacuum if there were many since the last one. */
  add(claimed: number): void
  /** Resolves when no vacuum is running. */
  onIdle(): Promise<void>
}

export function createQueueVacuum(kysely: Kysely<Database>, logger: Pick<Logger, 'warn'>): QueueVacuum {
  const failures = createFailureLog(logger, 'the vacuum of webhook_queue failed')
  let changed = 0
  let notBefore = 0
  let running: Promise<void> | undefined

  const vacuum = async (): Promise<void> => {
    const startedAt = performance.now()
    changed = 0
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
    add: (claimed) => {
      changed += claimed
      if (changed >= MAX_CHANGED && running === undefined && performance.now() >= notBefore)
        running = vacuum()
    },
    onIdle: async () => running,
  }
}
