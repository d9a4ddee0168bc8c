import PQueue from 'p-queue'
import { type BackgroundLoop, createBackgroundLoop } from '../platform/async/background-loop.ts'
import { createFailureLog } from '../platform/process/failure-log.ts'
import type { RelayContext } from './context.ts'
import { fetchStatuses, type LedgerStatus, MAX_STATUSES } from './fetch-statuses.ts'
import type { TransactionRow } from './record.ts'
import { settleExpired } from './search/settle-expired.ts'
import { sendStored } from './send.ts'
import { isExpired, onLedgerStatus } from './transitions.ts'

const CONCURRENT_ROWS = 8

/**
 * Follows every submitted transaction until it is settled. All state is in the database, so each
 * process can run a tracker.
 */
export function createTracker(context: RelayContext): BackgroundLoop {
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
async function processDueRows(context: RelayContext): Promise<number> {
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
    await Promise.all(rows.map((row) => store.update(row, { next_check_at: due })))
    throw error
  }
  return rows.length
}

async function processRow(
  row: TransactionRow,
  ledgerStatus: LedgerStatus | undefined,
  context: RelayContext,
): Promise<void> {
  const { clock, store, updates, timing } = context
  const change = ledgerStatus === undefined ? {} : onLedgerStatus(row, ledgerStatus)
  const status = change.status ?? row.status
  const canLand = ledgerStatus?.kind === 'absent' && !ledgerStatus.expired
  const isResendDue = row.sent_at === null || clock.now() - Date.parse(row.sent_at) >= timing.resendMs
  if (canLand && status === 'submitted' && isResendDue) return sendStored(row, context, change)
  const waitMs = status === 'submitted' ? timing.pollMs : timing.finalityPollMs
  await store.update(row, { ...change, next_check_at: new Date(clock.now() + waitMs).toISOString() })
  updates.notify(row.id)
}
