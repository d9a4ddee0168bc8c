import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import PQueue from 'p-queue'
import type { Kysely } from 'kysely'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../db/database.ts'
import { WakeUp } from '../../platform/async/wake-up.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import { attempt } from './attempt.ts'
import { type Claim, claimDeliveries, type Lane, releaseClaims } from './claim.ts'
import { cancelUnwanted } from './housekeeping.ts'
import { createWorkerMetrics } from './metrics.ts'
import { observe, observeAttempt } from './observe.ts'
import { reclaim } from './reclaim.ts'
import type { OpenSecret, Send } from './sender.ts'
import { createWorkerSession } from './session.ts'
import { createSettlements } from './settlements.ts'
import { createUpkeep } from './upkeep.ts'
import { type WorkerLimits, workerLimits } from './timing.ts'
import type { Orm } from '../../db/orm-types.ts'

export interface WorkerOptions {
  readonly orm: Orm
  readonly send: Send
  readonly openSecret: OpenSecret
  readonly clock: Clock
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly metrics: Metrics
  /** In [0, 1). */
  readonly random?: () => number
  readonly limits?: Partial<WorkerLimits>
}

/** Sends due deliveries. Its memory is the database, so that any number of processes may run one. */
export interface WebhookWorker {
  /** Returns at once; the work goes on in the background until `stop`. */
  start(): void
  /** Something may be due. */
  wake(): void
  /** Time of the last successful poll, in milliseconds since the epoch. Null before the first one. */
  lastPolledAt(): number | null
  /** Claims nothing more, gives back what was not begun, and waits for what is under way. */
  stop(): Promise<void>
}

/** First attempts leave this part of the slots to retries; retries leave first attempts at least half. */
const RETRY_RESERVE = 1 / 8
const MAX_RETRIES = 1 / 2
/** What remains at the end, after the deadline, to record the last outcomes. */
const SETTLE_MS = 2_000
const MAX_REST_MS = 25

export function createWebhookWorker(options: WorkerOptions): WebhookWorker {
  const { orm, clock, logger, random = Math.random } = options
  const limits = workerLimits(options.limits)
  const kysely: Kysely<Database> = orm.em.fork().getKysely<Database>()
  const metrics = createWorkerMetrics(options.metrics)
  const wakeUp = new WakeUp()
  const stopping = new AbortController()
  const giveUp = new AbortController()
  const session = createWorkerSession({ orm, kysely, onAnnouncement: () => wakeUp.wake() })
  const queue = new PQueue({ concurrency: limits.slots })
  const settlements = createSettlements({
    kysely,
    logger,
    giveUp: giveUp.signal,
    onSettled: (settled) => {
      observe(metrics, settled)
      for (const webhook of settled.disabled) logger.warn(webhook, 'a webhook was switched off')
      if (settled.disabled.length > 0) void cancelUnwanted(kysely).catch(() => undefined)
    },
  })
  const inFlight = { pending: 0, retrying: 0 }
  const after = { pending: '', retrying: '' }
  const unstarted = new Map<string, Claim>()
  let running: Promise<void> | undefined
  let lastPolledAt: number | null = null

  const count = (lane: Lane, by: 1 | -1): void => {
    inFlight[lane] += by
    metrics.inFlight.set(inFlight.pending + inFlight.retrying)
  }

  const deliver = async (claim: Claim, lane: Lane): Promise<void> => {
    unstarted.delete(claim.token)
    try {
      const settlement = await attempt(claim, { ...options, random })
      observeAttempt(metrics, settlement)
      await settlements.add(settlement)
    } catch (err) {
      if (giveUp.signal.aborted) return
      logger.error({ err, delivery: claim.id }, 'a delivery could not be attempted and is tried again')
      await releaseClaims(session, [claim], { restMs: limits.troubleMs }).catch(() => undefined)
    } finally {
      count(lane, -1)
      // Its place, and that of its endpoint, are free again.
      wakeUp.wake()
    }
  }

  const take = async (lane: Lane, room: number): Promise<number> => {
    const limit = Math.floor(Math.min(room, limits.slots - queue.pending - queue.size))
    if (limit <= 0) return 0
    const { claims, next } = await claimDeliveries(session, { lane, limit, after: after[lane], limits })
    after[lane] = next
    if (stopping.signal.aborted) {
      await releaseClaims(session, claims, { restMs: 0 })
      return 0
    }
    for (const claim of claims) {
      unstarted.set(claim.token, claim)
      count(lane, 1)
      void queue.add(() => deliver(claim, lane))
    }
    // The rest of the endpoints has not been looked at.
    return next === '' ? claims.length : Math.max(1, claims.length)
  }

  const upkeep = createUpkeep({ kysely, logger, metrics, signal: stopping.signal })
  const run = async (): Promise<void> => {
    let retriesAt = 0
    let reclaimAt = 0
    let restUntil = 0
    while (!stopping.signal.aborted) {
      let waitMs = limits.pollMs * (0.75 + 0.5 * random())
      try {
        const began = performance.now()
        if (began >= reclaimAt) {
          reclaimAt = began + limits.reclaimMs
          const { reclaimed, lost } = await reclaim(session, { limits, clock, random })
          metrics.reclaims.inc(reclaimed + lost.length)
          await Promise.all(lost.map((each) => settlements.add(each)))
        }
        let taken = await take('pending', limits.slots * (1 - RETRY_RESERVE) - inFlight.pending)
        if (began >= retriesAt) {
          const retries = await take('retrying', Math.max(1, limits.slots * MAX_RETRIES) - inFlight.retrying)
          if (retries === 0) retriesAt = began + limits.pollMs
          taken += retries
        }
        lastPolledAt = clock.now()
        if (taken > 0 && queue.pending + queue.size < limits.slots) waitMs = 0
        // Under load the next claim waits for company, so that looking takes a part of the time only.
        restUntil = performance.now() + Math.min(MAX_REST_MS, performance.now() - began)
      } catch (err) {
        if (!stopping.signal.aborted)
          logger.warn({ err }, 'looking for due deliveries failed and is tried again')
      }
      if (waitMs > 0 && !stopping.signal.aborted) await wakeUp.sleep(waitMs)
      const restMs = restUntil - performance.now()
      if (restMs > 0) await delay(restMs)
    }
  }

  return {
    start: () => {
      running ??= run()
      upkeep.start()
    },
    wake: () => wakeUp.wake(),
    lastPolledAt: () => lastPolledAt,
    stop: async () => {
      stopping.abort()
      wakeUp.wake()
      await running
      queue.clear()
      await releaseClaims(session, [...unstarted.values()], { restMs: 0 }).catch(() => undefined)
      const overdue = setTimeout(() => giveUp.abort(), limits.deadlineMs + SETTLE_MS)
      await Promise.race([queue.onIdle(), once(giveUp.signal, 'abort')])
      clearTimeout(overdue)
      await upkeep.stop()
      await session.close()
    },
  }
}
