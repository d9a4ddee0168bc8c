import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Orm } from '../db/orm-types.ts'
import { WakeUp } from '../platform/async/wake-up.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics/metrics.ts'
import { createFailureLog } from '../platform/process/failure-log.ts'
import { attempt, type OpenSecret } from './attempt.ts'
import { runFanOut } from './enqueue.ts'
import { WORKER_LIMITS, type WorkerLimits } from './limits.ts'
import { cancelForInactiveWebhooks, createQueueVacuum, runMaintenance } from './maintenance.ts'
import { createWorkerMetrics, recordAttempt, recordSettled } from './metrics.ts'
import { reclaim, releaseClaims } from './queue.ts'
import type { Send } from './send.ts'
import { createSettlements, createUnwritten } from './settlements.ts'
import { createWorkerConnection } from './worker-connection.ts'
import type { Claim } from './worker/claim.ts'
import { createLanes } from './worker/lanes.ts'
import { createStarter, NOTHING, type Started } from './worker/start-due.ts'

export interface WorkerOptions {
  readonly orm: Orm
  readonly send: Send
  readonly openSecret: OpenSecret
  readonly clock: Clock
  readonly logger: Pick<Logger, 'warn' | 'error'>
  readonly metrics: Metrics
  /** In [0, 1). */
  readonly random?: () => number
  readonly limits?: Partial<WorkerLimits>
}

/**
 * Sends due deliveries. All its state is in the database, so any number of processes can run one.
 */
export interface WebhookWorker {
  /** Returns at once. The worker runs in the background until `stop`. */
  start(): void
  /** Polls now, because a delivery may be due. */
  wake(): void
  /**
   * Time of the last successful poll, in milliseconds since the epoch. Null before the first one.
   */
  lastPolledAt(): number | null
  /** Claims nothing more and waits for the attempts in flight. */
  stop(): Promise<void>
}

/** Time to write the last outcomes after the deadline of the last attempt. */
const SETTLE_MS = 2_000
const MAX_REST_MS = 25
/**
 * There is no rest after a claim that started this many and a quarter of all attempts in flight,
 * while others had to wait. It makes bursts a tenth faster.
 */
const MIN_CROWD = 16

export function createWebhookWorker(options: WorkerOptions): WebhookWorker {
  const { orm, clock, logger, random = Math.random } = options
  const limits = { ...WORKER_LIMITS, ...options.limits }
  const kysely: Kysely<Database> = orm.em.fork().getKysely()
  const claiming = new WakeUp()
  const fanningOut = new WakeUp()
  const claim = (): void => claiming.wake()
  const wake = (): void => {
    claiming.wake()
    fanningOut.wake()
  }
  const stopping = new AbortController()
  const giveUp = new AbortController()
  const onNotification = (payload?: string): void => {
    claiming.wake()
    if (payload !== '') fanningOut.wake()
  }
  const connection = createWorkerConnection({ orm, kysely, onNotification })

  /** Attempts that ended since the last claim began, and how many the next one waits for. */
  let ended = 0
  let awaited = 1
  // An attempt that ends frees a slot here and at its endpoint.
  const lanes = createLanes(limits, () => {
    ended += 1
    if (ended >= awaited) claim()
  })
  const vacuum = createQueueVacuum(kysely, logger)
  const metrics = createWorkerMetrics(options.metrics, lanes)
  const settlements = createSettlements({
    kysely,
    logger,
    giveUp: giveUp.signal,
    onSettled: (result) => {
      recordSettled(metrics, result)
      for (const webhook of result.disabled) logger.warn(webhook, 'webhook disabled')
      if (result.disabled.length > 0) void cancelForInactiveWebhooks(kysely).catch(() => undefined)
    },
  })

  const release = async (claim: Claim, err: unknown): Promise<void> => {
    if (giveUp.signal.aborted) return
    logger.error({ err, delivery: claim.id }, 'delivery attempt failed with an internal error, retrying')
    await releaseClaims(connection, [claim], limits.internalErrorDelayMs).catch(() => undefined)
  }
  const unwritten = createUnwritten(settlements, release)
  /** Resolves when the slot is free. */
  const deliver = async (claim: Claim): Promise<void> => {
    try {
      const settlement = await attempt(claim, { ...options, limits, random })
      recordAttempt(metrics, settlement)
      await unwritten.add(claim, settlement)
    } catch (err) {
      await release(claim, err)
    }
  }

  const startDue = createStarter({ connection, lanes, limits, unwritten, stopping: stopping.signal, deliver })

  let reclaimAt = 0
  let retriesAt = 0
  let lastPolledAt: number | null = null
  const poll = async (): Promise<Started> => {
    const now = performance.now()
    if (now >= reclaimAt) {
      reclaimAt = now + limits.reclaimMs
      const { reclaimed, lost } = await reclaim(connection, { limits, clock, random })
      metrics.reclaims.inc(reclaimed + lost.length)
      await Promise.all(lost.map((each) => settlements.add(each)))
    }
    const first = await startDue('pending')
    const retries = now >= retriesAt ? await startDue('retrying') : NOTHING
    if (now >= retriesAt && !retries.crowd && !retries.more) retriesAt = now + limits.pollMs
    lastPolledAt = clock.now()
    const count = first.count + retries.count
    vacuum.add(count)
    return { count, crowd: first.crowd + retries.crowd, more: first.more || retries.more }
  }

  const failures = createFailureLog(logger, 'polling for due deliveries failed, retrying')
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const startedAt = performance.now()
      let polled = NOTHING
      ended = 0
      awaited = Infinity
      try {
        polled = await poll()
        failures.clear()
      } catch (err) {
        if (!stopping.signal.aborted) failures.report(err)
      }
      const { crowd, more } = polled
      const inFlight = lanes.inFlight('fast') + lanes.inFlight('slow')
      // Resting as long as the poll took lets deliveries collect, so that the next claim is larger.
      // If nothing could start, the same claim would find the same.
      const restMs = crowd >= Math.max(MIN_CROWD, inFlight / 4) ? 0 : performance.now() - startedAt
      const rest = delay(Math.min(MAX_REST_MS, restMs))
      // While others wait, the next claim comes when half of what was started has ended.
      awaited = Math.max(1, crowd / 2)
      const sleepMs = crowd > 0 ? MAX_REST_MS : limits.pollMs * (0.75 + 0.5 * random())
      if (!more && ended < awaited && !stopping.signal.aborted) await claiming.sleep(sleepMs)
      await rest
    }
  }

  let running: Promise<void> | undefined
  let maintenance: Promise<void> | undefined
  let fanOut: Promise<void> | undefined
  return {
    start: () => {
      running ??= run()
      maintenance ??= runMaintenance({ kysely, logger, metrics, signal: stopping.signal })
      fanOut ??= runFanOut({
        kysely,
        logger,
        signal: stopping.signal,
        wakeUp: fanningOut,
        onEnqueued: claim,
      })
    },
    wake,
    lastPolledAt: () => lastPolledAt,
    stop: async () => {
      stopping.abort()
      wake()
      await running
      const overdue = setTimeout(() => giveUp.abort(), limits.deadlineMs + SETTLE_MS)
      const written = lanes.onIdle().then(() => unwritten.onIdle())
      await Promise.race([written, once(giveUp.signal, 'abort')])
      clearTimeout(overdue)
      await Promise.all([maintenance, fanOut, vacuum.onIdle()])
      await connection.close()
    },
  }
}
