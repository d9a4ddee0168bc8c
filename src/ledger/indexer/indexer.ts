import { setTimeout as delay } from 'node:timers/promises'
import { acquireLeadership } from './leadership.ts'
import { leadOnce } from './lead.ts'
import { LedgerMismatchError } from './position.ts'
import { type IndexerStatus, lagOf, newCounters, noteFailure } from './status.ts'
import { WakeUp } from '../../platform/async/wake-up.ts'
import type { IndexerOptions, IndexerContext } from './indexer-context.ts'

export interface Indexer {
  /** Returns at once; the work goes on in the background until `stop`. */
  start(): void
  stop(): Promise<void>
  status(): IndexerStatus
  /** Resolves when everything up to a slot of the indexer's commitment is in the tables; rejects when the indexer stops. */
  waitForSlot(slot: number): Promise<void>
  /** Resolves when everything that the node shows now is in the tables. */
  whenIdle(): Promise<void>
  /** Called after each commit that enqueued events. Returns what ends it. */
  onOutbox(listener: () => void): () => void
  /** Rejects when the database belongs to another ledger; resolves after `stop`. */
  readonly finished: Promise<void>
}

const MAX_BACKOFF_MS = 5_000

/** Keeps the tables equal to the ledger (design section 5). One works per database; others stand by. */
export function createIndexer(options: IndexerOptions): Indexer {
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
    status: {
      phase: 'starting',
      cursorSlot: 0,
      tipSlot: 0,
      lagSlots: 0,
      lagSeconds: 0,
      coveredAt: null,
      finalizedSlot: 0,
      deadLetters: 0,
      lastEventAt: null,
      subscribed: false,
      failingSince: null,
      counters: newCounters(),
    },
  }
  const waitForSlot = (slot: number): Promise<void> =>
    new Promise((resolve, reject) => {
      if (context.status.phase === 'stopped') reject(new Error('the indexer has stopped'))
      context.waiters.add({ slot, resolve, reject })
      context.wakeUp.wake()
    })
  return {
    finished: finished.promise,
    waitForSlot,
    start() {
      running ??= run(context)
        .then(finished.resolve, finished.reject)
        .finally(() => end(context))
    },
    async stop() {
      abort.abort(new Error('the indexer was stopped'))
      context.wakeUp.wake()
      await running
      end(context)
    },
    status() {
      const { status } = context
      return {
        ...status,
        counters: { ...status.counters },
        ...lagOf(status, options.clock),
      }
    },
    async whenIdle() {
      await waitForSlot(await options.rpc.call<number>('getSlot', [{ commitment: options.commitment }]))
    },
    onOutbox(listener) {
      context.outboxListeners.add(listener)
      return () => context.outboxListeners.delete(listener)
    },
  }
}

function end({ status, waiters }: IndexerContext): void {
  status.phase = 'stopped'
  for (const waiter of waiters) waiter.reject(new Error('the indexer has stopped'))
  waiters.clear()
}

async function run(context: IndexerContext): Promise<void> {
  const { options, signal, status } = context
  let backoff = 100
  while (!signal.aborted) {
    try {
      status.phase = 'starting'
      const leadership = await acquireLeadership(options.orm, {
        pollMs: options.standbyPollMs ?? 1_000,
        signal,
        onStandby: () => (status.phase = 'standby'),
      })
      try {
        await leadOnce(context, leadership)
        backoff = 100
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
      noteFailure(status, options.clock)
      options.logger.warn({ err: error, retryMs: backoff }, 'the indexer failed and starts again')
    }
    await delay(backoff, undefined, { signal }).catch(() => {})
    backoff = Math.min(backoff * 2, MAX_BACKOFF_MS)
  }
}
