import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Logger } from '../../platform/logger.ts'
import { createFailureLog } from '../../platform/process/failure-log.ts'
import { settle, type Settlement, type SettleResult } from './settle.ts'

/** Writes settlements in batches: those that arrive during one statement share the next. */
export interface Settlements {
  /** Resolves after the commit. Retries while the database is down, until `giveUp` is aborted. */
  add(settlement: Settlement): Promise<void>
}

const MAX_BATCH = 128
const RETRY_MS = 200
/** SQLSTATE classes of errors that one row causes. All other errors are retried. */
const DATA_ERROR = /^(22|23)/

export function createSettlements(options: {
  kysely: Kysely<Database>
  logger: Pick<Logger, 'warn' | 'error'>
  giveUp: AbortSignal
  onSettled: (result: SettleResult) => void
}): Settlements {
  const { kysely, logger, giveUp, onSettled } = options
  const waiting: { settlement: Settlement; done: PromiseWithResolvers<void> }[] = []
  const failures = createFailureLog(logger, 'writing delivery outcomes failed, retrying')
  let writing = false

  const write = async (batch: typeof waiting): Promise<void> => {
    const settlements = batch.map(({ settlement }) => settlement)
    try {
      onSettled(await settle(kysely, settlements))
      failures.clear()
      for (const { done } of batch) done.resolve()
    } catch (err) {
      const isDataError = DATA_ERROR.test(String((err as { code?: unknown }).code))
      if (!giveUp.aborted && !isDataError) {
        failures.report(err)
        await delay(RETRY_MS)
        await write(batch)
      } else if (!giveUp.aborted && batch.length > 1) {
        for (const each of batch) await write([each])
      } else {
        for (const { done } of batch) done.reject(err)
      }
    }
  }

  const writeAll = async (): Promise<void> => {
    writing = true
    while (waiting.length > 0) await write(waiting.splice(0, MAX_BATCH))
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
