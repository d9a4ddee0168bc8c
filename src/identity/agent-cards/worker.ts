import PQueue from 'p-queue'
import { Counter, Histogram } from 'prom-client'
import type { Logger } from '../../platform/logger.ts'
import { addLabelledGauge, type Metrics } from '../../platform/metrics/metrics.ts'
import { createFetchQueue, type FetchQueue } from '../fetch-queue.ts'
import {
  type CardQueue,
  claimCards,
  type DueCard,
  findOrigins,
  forgetHosts,
  recordCheck,
  recordHost,
} from './check-queue.ts'
import { CARD_QUEUES, type CardTiming, WRITES_AT_ONCE } from './limits.ts'
import type { EntityManager } from '../../db/orm-types.ts'
import type { Clock } from '../../platform/clock.ts'
import type { HostedDependencies } from '../../platform/net/hosted/fetch-hosted.ts'
import { checkCard } from './check-card.ts'

interface CardWorkerDependencies extends CheckDependencies {
  readonly metrics: Metrics
  readonly logger: Pick<Logger, 'warn'>
  /** The queue of credential refreshes, which checks fill. */
  readonly credentials: FetchQueue
}

const FORGET_INTERVAL_MS = 3_600_000

export type CardWorker = ReturnType<typeof createCardWorker>

/** Checks due cards and refreshes credentials. Several processes may run one. */
export function createCardWorker(dependencies: CardWorkerDependencies) {
  const { em, clock, timing, credentials } = dependencies
  const kysely = em.getKysely()
  const { idleMs, leaseMs } = timing
  let forgetAt = 0
  const { checks, waited } = createCardMetrics(dependencies.metrics)
  const writes = new PQueue({ concurrency: WRITES_AT_ONCE })

  const checkQueue = (queue: CardQueue, name: string, beforeClaim: () => Promise<void>) =>
    createFetchQueue<DueCard>({
      ...dependencies,
      name,
      idleMs,
      limits: CARD_QUEUES[queue],
      claim: async (limit) => {
        await beforeClaim()
        return claimCards(kysely, { queue, limit, leaseMs })
      },
      run: (card, signal) => {
        if (queue === 'first') waited.observe(card.waitedSeconds)
        return runCheck(card, dependencies, checks, writes, signal)
      },
    })
  const queues = {
    first: checkQueue('first', 'first checks of agent cards', () => findOrigins(kysely)),
    further: checkQueue('further', 'checks of agent cards', async () => {
      if (clock.now() < forgetAt) return
      forgetAt = clock.now() + FORGET_INTERVAL_MS
      await forgetHosts(em)
    }),
    credentials,
  }
  const all = Object.values(queues)
  const running = {
    name: 'gateway_cards_in_flight',
    help: 'Running checks (first, further) and credential refreshes.',
    label: 'queue',
  }
  addLabelledGauge(dependencies.metrics, running, () =>
    Object.fromEntries(Object.entries(queues).map(([name, queue]) => [name, queue.inFlight()])),
  )

  return {
    start: (): void => {
      for (const queue of all) queue.start()
    },
    lastPolledAt: (): number | null => {
      const times = all.map((queue) => queue.lastPolledAt())
      return times.some((time) => time === null) ? null : Math.min(...times.map(Number))
    },
    stop: async (): Promise<void> => {
      await Promise.all(all.map((queue) => queue.stop()))
    },
  }
}

interface CheckDependencies {
  readonly em: EntityManager
  readonly hosted: HostedDependencies
  readonly clock: Clock
  readonly timing: CardTiming
  /** Returns 0 to 1. */
  readonly random: () => number
}

/** Checks a claimed card, and stores the result and the time of the next check. */
async function runCheck(
  card: DueCard,
  { em, hosted, clock, timing, random }: CheckDependencies,
  checks: Counter<'state'>,
  writes: PQueue,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = clock.now()
  const outcome = await checkCard(card, { ...hosted, signal })
  // The check has no result. Its lease expires.
  if (signal.aborted || outcome.host === 'limited') return
  const failures = outcome.state === 'unreachable' ? card.failures + 1 : 0
  const delayMs = failures === 0 ? timing.recheckMs : backOff(failures, timing)
  const jitter = 1 + timing.jitter * random()
  const checkedAt = new Date(clock.now())
  const checkedHost = { host: card.host, state: outcome.host, reason: outcome.reason, checkedAt }
  const isRecorded = await writes.add(async () => {
    // While the result waited, the worker stopped, or another one may have claimed the card.
    if (signal.aborted || clock.now() - startedAt > timing.leaseMs) return false
    // Before the result, which lets the next check of the host start.
    await recordHost(em, checkedHost, timing, jitter)
    return recordCheck(em, card, {
      outcome,
      checkedAt,
      nextCheckMs: delayMs * jitter,
      // Once a day, and when the card changed.
      credentialsPauseMs: delayMs === timing.recheckMs ? timing.credentialsPauseMs : null,
    })
  })
  checks.inc({ state: isRecorded ? outcome.state : 'stale' })
}

function backOff(failures: number, { retryMs, retryFactor, recheckMs }: CardTiming): number {
  return Math.min(retryMs * retryFactor ** Math.min(failures - 1, 20), recheckMs)
}

function createCardMetrics(metrics: Metrics) {
  const registers = [metrics]
  return {
    checks: new Counter({
      name: 'gateway_cards_checks_total',
      help: 'Checked agent cards, by result. stale: the card changed or the lease ended during the check.',
      labelNames: ['state'],
      registers,
    }),
    waited: new Histogram({
      name: 'gateway_cards_first_check_wait_seconds',
      help: 'Time from a new or changed agent card to the start of its check.',
      buckets: [0.25, 0.5, 1, 2, 5, 10, 30, 60, 300],
      registers,
    }),
  }
}
