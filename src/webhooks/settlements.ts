import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Logger } from '../platform/logger.ts'
import { createFailureLog } from '../platform/process/failure-log.ts'
import { settle, type Settlement, type SettleResult } from './settle.ts'
import type { Claim } from './worker/claim.ts'

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

/** More successes than this keep their slots until they are written. */
const MAX_UNWRITTEN = 512

/** Attempts that have ended, but whose outcome is not written yet. */
export interface Unwritten {
  /** The deliveries that hold no slot. Limits of endpoints and sites need not count them. */
  ids(): string[]
  /** The worker claimed these again, because their lease ended before the outcome was written. */
  claimedAgain(claims: readonly Claim[]): void
  /**
   * Resolves when the attempt's slot is free. A success frees it at once. Other outcomes must be
   * written first, because they may pause or disable the webhook. Rejects if it cannot be written.
   */
  add(claim: Claim, settlement: Settlement): Promise<void>
  /** Resolves when everything is written. */
  onIdle(): Promise<void>
}

/** Calls `onFailure` if a success cannot be written. */
export function createUnwritten(
  settlements: Settlements,
  onFailure: (claim: Claim, error: unknown) => Promise<void>,
): Unwritten {
  /** Lease tokens by delivery, of those that hold no slot. */
  const withoutSlot = new Map<string, string>()
  const writing = new Set<Promise<void>>()
  return {
    ids: () => [...withoutSlot.keys()],
    claimedAgain: (claims) => {
      for (const { id } of claims) withoutSlot.delete(id)
    },
    add: async (claim, settlement) => {
      const written = settlements.add(settlement)
      if (settlement.outcome !== 'success' || writing.size >= MAX_UNWRITTEN) return written
      const done = written
        .catch((error: unknown) => onFailure(claim, error))
        .finally(() => {
          writing.delete(done)
          if (withoutSlot.get(claim.id) === claim.token) withoutSlot.delete(claim.id)
        })
      writing.add(done)
      withoutSlot.set(claim.id, claim.token)
    },
    onIdle: async () => {
      await Promise.all(writing)
    },
  }
}
