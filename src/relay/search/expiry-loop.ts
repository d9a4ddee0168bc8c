import { type BackgroundLoop, createBackgroundLoop } from '../../platform/async/background-loop.ts'
import { createFailureLog } from '../../platform/process/failure-log.ts'
import type { RelayContext } from '../context.ts'
import { settleUnsubmitted } from './settle-expired.ts'

const CLEANUP_MS = 3_600_000

/**
 * Settles transactions that expired before they were submitted, and deletes old rows. It is not
 * part of the tracker, because a long search would delay submitted transactions.
 */
export function createExpiryLoop(context: RelayContext): BackgroundLoop {
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
