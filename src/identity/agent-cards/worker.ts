import type { Clock } from '../../platform/clock.ts'
import type { HostedDependencies } from '../../platform/net/hosted/fetch-hosted.ts'
import { WakeUp } from '../../platform/async/wake-up.ts'
import type { Logger } from '../../platform/logger.ts'
import type { CardCheckStore, DueCard } from './card-check-store.ts'
import { type CardOutcome, checkCard } from './check-card.ts'
import type { CardMetrics } from './metrics.ts'
import type { CardTiming } from './timing.ts'

export interface CardWorkerDependencies {
  readonly store: CardCheckStore
  readonly hosted: HostedDependencies
  readonly clock: Clock
  readonly timing: CardTiming
  readonly metrics: CardMetrics
  readonly newId: () => string
  /** 0 to 1. */
  readonly random: () => number
  /** Called about once a day for each agent, and when its card is new. */
  readonly refresh?: (card: DueCard, outcome: CardOutcome, signal: AbortSignal) => Promise<void>
  readonly logger: Pick<Logger, 'warn'>
}

/** Looks at the cards that are due. Its memory is the database, so that any number of processes may run one. */
export interface CardWorker {
  /** Returns at once; the work goes on in the background until `stop`. */
  start(): void
  /** When it last looked for due cards and the database answered, in milliseconds since the epoch; null before. */
  lastPolledAt(): number | null
  stop(): Promise<void>
}

/** Cards fetched at once, each of another host. */
const SLOTS = 8

export function createCardWorker(dependencies: CardWorkerDependencies): CardWorker {
  const { store, clock, timing, newId, logger } = dependencies
  const wakeUp = new WakeUp()
  const abort = new AbortController()
  const busy = new Map<string, Promise<void>>()
  let running: Promise<void> | undefined
  let lastPolledAt: number | null = null

  const take = async (): Promise<boolean> => {
    const token = newId()
    const card = await store.claim({ token, leaseMs: timing.leaseMs, busy: [...busy.keys()] })
    if (card === null) return false
    const work = lookAt(card, token, dependencies, abort.signal)
      .catch((err: unknown) => logger.warn({ err }, 'checking an agent card failed and is tried again'))
      .finally(() => {
        busy.delete(card.host)
        wakeUp.wake()
      })
    busy.set(card.host, work)
    return true
  }

  const run = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      try {
        while (busy.size < SLOTS && !abort.signal.aborted && (await take()));
        lastPolledAt = clock.now()
      } catch (err) {
        logger.warn({ err }, 'taking agent cards failed and is tried again')
      }
      if (!abort.signal.aborted) await wakeUp.sleep(timing.idleMs)
    }
    await Promise.all(busy.values())
  }

  return {
    start: () => {
      running ??= run()
    },
    lastPolledAt: () => lastPolledAt,
    stop: async () => {
      abort.abort()
      wakeUp.wake()
      await running
    },
  }
}

async function lookAt(
  card: DueCard,
  token: string,
  dependencies: CardWorkerDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { store, hosted, clock, timing, metrics, random, refresh } = dependencies
  const outcome = await checkCard(card, { ...hosted, signal })
  // What was broken off says nothing of the card; its lease ends by itself.
  if (signal.aborted) return
  const failures = outcome.state === 'unreachable' ? card.failures + 1 : 0
  const steady = failures === 0 ? timing.recheckMs : backOff(failures, timing.recheckMs, timing)
  const jitter = 1 + timing.jitter * (2 * random() - 1)
  const checkedAt = new Date(clock.now())
  const result = { outcome, checkedAt, nextCheckMs: steady * jitter }
  const recorded = await store.record(card, token, result)
  metrics.checks.inc({ state: recorded ? outcome.state : 'stale' })
  if (outcome.state === 'unreachable' && outcome.hostDown) {
    const waitMs = (count: number): number => backOff(count, timing.hostRetryMs, timing) * jitter
    await store.recordHostFailure(card.host, waitMs, outcome.reason, checkedAt)
  } else await store.clearHostFailures(card.host)
  if (recorded && steady === timing.recheckMs) await refresh?.(card, outcome, signal)
}

function backOff(failures: number, longestMs: number, { retryMs, retryFactor }: CardTiming): number {
  return Math.min(retryMs * retryFactor ** Math.min(failures - 1, 20), longestMs)
}
