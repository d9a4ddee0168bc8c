import { randomUUID } from 'node:crypto'
import { Counter } from 'prom-client'
import { WakeUp } from '../../platform/async/wake-up.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { HostedDependencies } from '../../platform/net/hosted/fetch-hosted.ts'
import type { CardCheckStore, DueCard } from './card-check-store.ts'
import { type CardOutcome, checkCard } from './check-card.ts'
import type { CardTiming } from './timing.ts'

export interface CardWorkerDependencies {
  readonly store: CardCheckStore
  readonly hosted: HostedDependencies
  readonly clock: Clock
  readonly timing: CardTiming
  readonly checks: Counter<'state'>
  /** Returns 0 to 1. */
  readonly random: () => number
  /** Called about once a day for each agent, and when its card changes. */
  readonly refresh?: (card: DueCard, outcome: CardOutcome, signal: AbortSignal) => Promise<void>
  readonly logger: Pick<Logger, 'warn'>
}

/** Checks due cards. Its state is in the database, so several processes may run one. */
export interface CardWorker {
  /** Returns at once. The work continues in the background until `stop`. */
  start(): void
  /** Time of the last poll, in milliseconds since the epoch. Null before the first poll. */
  lastPolledAt(): number | null
  stop(): Promise<void>
}

/** Cards that are fetched at the same time, each from another host. */
const MAX_IN_FLIGHT = 8

export function createCardCheckCounter(metrics: Metrics): Counter<'state'> {
  return new Counter({
    name: 'gateway_cards_checks_total',
    help: 'Checked agent cards, by result. stale: the card changed on the ledger during the check.',
    labelNames: ['state'],
    registers: [metrics],
  })
}

export function createCardWorker(dependencies: CardWorkerDependencies): CardWorker {
  const { store, clock, timing, logger } = dependencies
  const wakeUp = new WakeUp()
  const abort = new AbortController()
  const inFlight = new Map<string, Promise<void>>()
  let running: Promise<void> | undefined
  let lastPolledAt: number | null = null

  const startNext = async (): Promise<boolean> => {
    const token = randomUUID()
    const busyHosts = [...inFlight.keys()]
    const card = await store.claim({ token, leaseMs: timing.leaseMs, busyHosts })
    if (card === null) return false
    const work = processCard(card, token, dependencies, abort.signal)
      .catch((err: unknown) => logger.warn({ err }, 'agent card check failed, will retry'))
      .finally(() => {
        inFlight.delete(card.host)
        wakeUp.wake()
      })
    inFlight.set(card.host, work)
    return true
  }

  const run = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      try {
        while (inFlight.size < MAX_IN_FLIGHT && !abort.signal.aborted && (await startNext()));
        lastPolledAt = clock.now()
      } catch (err) {
        logger.warn({ err }, 'polling for due agent cards failed, will retry')
      }
      if (!abort.signal.aborted) await wakeUp.sleep(timing.idleMs)
    }
    await Promise.all(inFlight.values())
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

async function processCard(
  card: DueCard,
  token: string,
  { store, hosted, clock, timing, checks, random, refresh }: CardWorkerDependencies,
  signal: AbortSignal,
): Promise<void> {
  const outcome = await checkCard(card, { ...hosted, signal })
  // An aborted check has no result. Its lease expires.
  if (signal.aborted) return
  const failures = outcome.state === 'unreachable' ? card.failures + 1 : 0
  const delayMs = failures === 0 ? timing.recheckMs : backOff(failures, timing.recheckMs, timing)
  const jitter = 1 + timing.jitter * (2 * random() - 1)
  const checkedAt = new Date(clock.now())
  const recorded = await store.record(card, token, { outcome, checkedAt, nextCheckMs: delayMs * jitter })
  checks.inc({ state: recorded ? outcome.state : 'stale' })
  if (outcome.state === 'unreachable' && outcome.hostDown) {
    const waitMs = (count: number): number => backOff(count, timing.hostRetryMs, timing) * jitter
    await store.recordHostFailure(card.host, waitMs, outcome.reason, checkedAt)
  } else await store.clearHostFailures(card.host)
  if (recorded && delayMs === timing.recheckMs) await refresh?.(card, outcome, signal)
}

function backOff(failures: number, maxMs: number, { retryMs, retryFactor }: CardTiming): number {
  return Math.min(retryMs * retryFactor ** Math.min(failures - 1, 20), maxMs)
}
