import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Logger } from '../../platform/logger.ts'
import { settle, type Settled, type Settlement } from './settle.ts'

/** Writes outcomes together: those that come while one statement runs share the next. */
export interface Settlements {
  /** Resolves when it is committed, however long the database is away; rejects once `giveUp` is aborted. */
  add(settlement: Settlement): Promise<void>
}

const MAX_BATCH = 128
const RETRY_MS = 200
/** What a statement over one row may not be for a reason in that row; anything else passes when the database is back. */
const DATA_ERROR = /^(22|23)/

export function createSettlements(options: {
  kysely: Kysely<Database>
  logger: Pick<Logger, 'warn' | 'error'>
  giveUp: AbortSignal
  onSettled: (settled: Settled) => void
}): Settlements {
  const { kysely, logger, giveUp, onSettled } = options
  let waiting: { settlement: Settlement; done: PromiseWithResolvers<void> }[] = []
  let writing = false

  const write = async (batch: typeof waiting): Promise<void> => {
    try {
      onSettled(
        await settle(
          kysely,
          batch.map(({ settlement }) => settlement),
        ),
      )
      for (const { done } of batch) done.resolve()
    } catch (err) {
      if (giveUp.aborted) {
        for (const { done } of batch) done.reject(err)
      } else if (!isDataError(err)) {
        logger.warn({ err, attempts: batch.length }, 'recording deliveries failed and is tried again')
        await delay(RETRY_MS)
        await write(batch)
      } else if (batch.length > 1) {
        for (const each of batch) await write([each])
      } else {
        logger.error({ err, delivery: batch[0]?.settlement.id }, 'a delivery could not be recorded')
        batch[0]?.done.reject(err)
      }
    }
  }

  const writeAll = async (): Promise<void> => {
    writing = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_BATCH)
      waiting = waiting.slice(MAX_BATCH)
      await write(batch)
    }
    writing = false
  }

  return {
    add: (settlement) => {
      const done = Promise.withResolvers<void>()
      waiting.push({ settlement, done })
      if (!writing) void writeAll()
      return done.promise
    },
  }
}

function isDataError(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && DATA_ERROR.test(code)
}
