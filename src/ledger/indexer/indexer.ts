import { setTimeout as delay } from 'node:timers/promises'
import { createFailureLog } from '../../platform/process/failure-log.ts'
import { WakeUp } from '../../platform/async/background-loop.ts'
import type { IndexerContext, IndexerOptions, SeenTransaction } from './context.ts'
import { acquireLeadership, lead } from './lead.ts'
import { LedgerMismatchError } from './position.ts'
import { initialStatus, recordFailure, withLag } from './status.ts'

export type Indexer = ReturnType<typeof createIndexer>

const MIN_BACKOFF_MS = 100
const MAX_BACKOFF_MS = 5_000

/** Keeps the tables equal to the ledger. One indexer per database works, others stand by. */
export function createIndexer(options: IndexerOptions) {
  const abort = new AbortController()
  const finished = Promise.withResolvers<void>()
  finished.promise.catch(() => {})
  let running: Promise<void> | undefined
  const context: IndexerContext = {
    options,
    signal: abort.signal,
    wakeUp: new WakeUp(),
    waiters: new Set(),
    outboxListeners: new Set(),
    transactionListeners: new Set(),
    status: initialStatus(),
  }
  return {
    /** Rejects if the database belongs to another ledger. Resolves after `stop`. */
    finished: finished.promise,
    /** Starts the work in the background. */
    start(): void {
      running ??= run(context)
        .then(finished.resolve, finished.reject)
        .finally(() => end(context))
    },
    async stop(): Promise<void> {
      abort.abort(new Error('the indexer was stopped'))
      context.wakeUp.wake()
      await running
      end(context)
    },
    status: () => withLag(context.status, options.clock),
    /** Resolves when the tables contain everything that the node has now. Rejects after `stop`. */
    async whenIdle(): Promise<void> {
      const slot = await options.rpc.call<number>('getSlot', [{ commitment: options.commitment }])
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      if (context.status.phase === 'stopped') reject(new Error('the indexer has stopped'))
      context.waiters.add({ slot, resolve, reject })
      context.wakeUp.wake()
      await promise
    },
    /** Calls the listener after each commit with new events. */
    onOutbox: (listener: () => void): void => void context.outboxListeners.add(listener),
    /** Calls it for each recent transaction, also failed ones, and perhaps several times. */
    onTransaction: (listener: (seen: SeenTransaction) => void): void =>
      void context.transactionListeners.add(listener),
  }
}

function end({ status, waiters }: IndexerContext): void {
  status.phase = 'stopped'
  for (const waiter of waiters) waiter.reject(new Error('the indexer has stopped'))
  waiters.clear()
}

async function run(context: IndexerContext): Promise<void> {
  const { options, signal, status } = context
  const failures = createFailureLog(options.logger, 'the indexer failed, restarting')
  let backoff = MIN_BACKOFF_MS
  while (!signal.aborted) {
    try {
      status.phase = 'starting'
      const leadership = await acquireLeadership(options.orm, {
        pollMs: options.standbyPollMs ?? 1_000,
        signal,
        onStandby: () => (status.phase = 'standby'),
      })
      try {
        await lead(context, leadership)
        backoff = MIN_BACKOFF_MS
        failures.clear()
      } finally {
        status.subscribed = false
        await leadership.release()
      }
    } catch (error) {
      if (signal.aborted) break
      if (error instanceof LedgerMismatchError) {
        options.logger.error(error.message)
        throw error
      }
      recordFailure(status, options.clock)
      failures.report(error)
    }
    await delay(backoff, undefined, { signal }).catch(() => {})
    backoff = Math.min(backoff * 2, MAX_BACKOFF_MS)
  }
}
