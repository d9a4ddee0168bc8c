import PQueue from 'p-queue'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import { createFetchQueue, type FetchQueue } from '../fetch-queue.ts'
import { type CardQueue, claimCards, type DueCard } from './claim-cards.ts'
import { findOrigins } from './find-origins.ts'
import { forgetHosts } from './host-back-off.ts'
import { CARD_QUEUES, WRITES_AT_ONCE } from './limits.ts'
import { createCardMetrics } from './metrics.ts'
import { type CheckDependencies, runCheck } from './run-check.ts'

export interface CardWorkerDependencies extends CheckDependencies {
  readonly metrics: Metrics
  readonly logger: Pick<Logger, 'warn'>
  /** The queue of credential refreshes, which checks fill. */
  readonly credentials: FetchQueue
}

const FORGET_INTERVAL_MS = 3_600_000

/**
 * Checks due cards and refreshes credentials. Its state is in the database, so several processes
 * may run one.
 */
export type CardWorker = Pick<FetchQueue, 'start' | 'lastPolledAt' | 'stop'>

export function createCardWorker(dependencies: CardWorkerDependencies): CardWorker {
  const { kysely, clock, timing, credentials } = dependencies
  const { idleMs, leaseMs } = timing
  let forgetAt = 0

  const claim = (queue: CardQueue) => (limit: number) => claimCards(kysely, { queue, limit, leaseMs })
  const writes = new PQueue({ concurrency: WRITES_AT_ONCE })
  const run = (card: DueCard, signal: AbortSignal) => runCheck(card, dependencies, metrics, writes, signal)
  const queues = {
    first: createFetchQueue<DueCard>({
      ...dependencies,
      name: 'first checks of agent cards',
      idleMs,
      limits: CARD_QUEUES.first,
      claim: async (limit) => {
        await findOrigins(kysely)
        return claim('first')(limit)
      },
      run: (card, signal) => {
        metrics.waited.observe(card.waitedSeconds)
        return run(card, signal)
      },
    }),
    further: createFetchQueue<DueCard>({
      ...dependencies,
      name: 'checks of agent cards',
      idleMs,
      limits: CARD_QUEUES.further,
      claim: async (limit) => {
        if (clock.now() >= forgetAt) {
          forgetAt = clock.now() + FORGET_INTERVAL_MS
          await forgetHosts(kysely)
        }
        return claim('further')(limit)
      },
      run,
    }),
    credentials,
  }
  const all = Object.values(queues)
  const metrics = createCardMetrics(dependencies.metrics, () =>
    Object.fromEntries(Object.entries(queues).map(([name, queue]) => [name, queue.inFlight()])),
  )

  return {
    start: () => {
      for (const queue of all) queue.start()
    },
    lastPolledAt: () => {
      const times = all.map((queue) => queue.lastPolledAt())
      return times.some((time) => time === null) ? null : Math.min(...times.map(Number))
    },
    stop: async () => {
      await Promise.all(all.map((queue) => queue.stop()))
    },
  }
}
