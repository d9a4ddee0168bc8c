import PQueue from 'p-queue'
import { type BackgroundLoop, createBackgroundLoop } from '../platform/async/background-loop.ts'
import { createFailureLog } from '../platform/process/failure-log.ts'
import type { TransactionsContext } from './context.ts'
import { fetchStatuses, type LedgerStatus, MAX_STATUSES } from './fetch-statuses.ts'
import type { TransactionRow } from './transaction-store.ts'
import { sendStored } from './send.ts'
import { isExpired, onLedgerStatus, onSearchResult } from './transitions.ts'
import { readHead } from './ledger-state.ts'
import { SEARCH_LIMITS } from './limits.ts'
import { searchLedger } from './search-ledger.ts'

const CONCURRENT_ROWS = 8

/**
 * Follows every submitted transaction until it is settled. All state is in the database, so each
 * process can run a tracker.
 */
export function createTracker(context: TransactionsContext): BackgroundLoop {
  const { store, logger, timing } = context
  const failures = createFailureLog(logger, 'tracking transactions failed, will retry')
  return createBackgroundLoop({
    retryMs: timing.idlePollMs,
    onError: failures.report,
    step: async (signal) => {
      while ((await processDueRows(context)) === MAX_STATUSES && !signal.aborted);
      const { submitted } = await store.countOpen()
      failures.clear()
      return submitted > 0 ? Math.min(timing.pollMs / 2, timing.idlePollMs) : timing.idlePollMs
    },
  })
}

/** Fetches the statuses of the rows that are due. Returns the number of rows. */
async function processDueRows(context: TransactionsContext): Promise<number> {
  const { clock, store, timing } = context
  const now = clock.now()
  const rows = await store.claim({ now, until: now + timing.leaseMs, limit: MAX_STATUSES })
  if (rows.length === 0) return 0
  try {
    const statuses = await fetchStatuses(rows, context)
    // The wallet may have sent another version of the transaction than the one submitted here.
    const expired = rows.filter((row) => !row.sponsored && isExpired(row, statuses.get(row.id)))
    const others = rows.filter((row) => !expired.includes(row))
    const queue = new PQueue({ concurrency: CONCURRENT_ROWS })
    await queue.addAll(others.map((row) => () => processRow(row, statuses.get(row.id), context)))
    await settleExpired(expired, context)
  } catch (error) {
    // No node responds: nothing changes, and the rows are due again soon.
    const due = new Date(clock.now() + timing.finalityPollMs).toISOString()
    await Promise.all(rows.map((row) => store.update(row, { nextCheckAt: due })))
    throw error
  }
  return rows.length
}

async function processRow(
  row: TransactionRow,
  ledgerStatus: LedgerStatus | undefined,
  context: TransactionsContext,
): Promise<void> {
  const { clock, store, updates, timing } = context
  const change = ledgerStatus === undefined ? {} : onLedgerStatus(row, ledgerStatus)
  const status = change.status ?? row.status
  const canLand = ledgerStatus?.kind === 'absent' && !ledgerStatus.expired
  const isResendDue = row.sentAt === null || clock.now() - Date.parse(row.sentAt) >= timing.resendMs
  if (canLand && status === 'submitted' && isResendDue) return sendStored(row, context, change)
  const waitMs = status === 'submitted' ? timing.pollMs : timing.finalityPollMs
  await store.update(row, { ...change, nextCheckAt: new Date(clock.now() + waitMs).toISOString() })
  updates.notify(row.id)
}

/** Searches the ledger for expired rows and stores the results. */
export async function settleExpired(
  rows: readonly TransactionRow[],
  context: TransactionsContext,
): Promise<void> {
  if (rows.length === 0) return
  const { clock, store, updates, timing } = context
  const results = await searchLedger(rows, context)
  const now = clock.now()
  for (const row of rows) {
    const waitMs = timing.finalityPollMs * Math.min(2 ** row.misses, SEARCH_LIMITS.maxBackoff)
    const change = onSearchResult(row, results.get(row.id), new Date(now).toISOString())
    await store.update(row, { nextCheckAt: new Date(now + waitMs).toISOString(), ...change })
    updates.notify(row.id)
  }
}

/** Settles rows that expired before they were submitted. The wallet may have sent them itself. */
async function settleUnsubmitted(context: TransactionsContext): Promise<void> {
  const { clock, store, rpc, timing } = context
  const { blockHeight } = await readHead(rpc, 'finalized')
  await store.expireSponsored(blockHeight)
  const { rows: limit, rowsPerPayer: perPayer } = SEARCH_LIMITS
  const now = clock.now()
  const until = now + timing.leaseMs
  await settleExpired(await store.claimExpired({ blockHeight, now, until, limit, perPayer }), context)
}

const CLEANUP_MS = 3_600_000

/**
 * Settles transactions that expired before they were submitted, and deletes old rows. It is not
 * part of the tracker, because a long search would delay submitted transactions.
 */
export function createExpiryLoop(context: TransactionsContext): BackgroundLoop {
  const { store, clock, logger, timing } = context
  const failures = createFailureLog(logger, 'the search for expired transactions failed, will retry')
  let nextCleanup = 0
  return createBackgroundLoop({
    retryMs: timing.finalityPollMs,
    onError: failures.report,
    step: async () => {
      const { unsubmitted } = await store.countOpen()
      if (unsubmitted > 0) await settleUnsubmitted(context)
      const now = clock.now()
      if (now >= nextCleanup) {
        await store.deleteOld(now)
        nextCleanup = now + CLEANUP_MS
      }
      failures.clear()
      return timing.finalityPollMs
    },
  })
}
