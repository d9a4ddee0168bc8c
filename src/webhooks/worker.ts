import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Orm } from '../db/orm-types.ts'
import { createBackgroundLoop } from '../platform/async/background-loop.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics/metrics.ts'
import { createFailureLog } from '../platform/process/failure-log.ts'
import { attempt, type OpenSecret, settlementOf, type StartedClaim } from './attempt.ts'
import { claimDue, type ClaimedDue, NOTHING_DUE } from './claim-due.ts'
import { createFanOut } from './enqueue.ts'
import { HeldClaims } from './held-claims.ts'
import { WORKER_LIMITS, type WorkerLimits } from './limits.ts'
import { cancelForInactiveWebhooks } from './cancel.ts'
import { createMaintenance, createQueueVacuum } from './maintenance.ts'
import { createWorkerMetrics, recordAttempt, recordSettled } from './metrics.ts'
import { reclaim, release } from './queue.ts'
import type { Send } from './send.ts'
import { createSettlements } from './settle.ts'
import { createSlots, type DueStatus } from './slots.ts'
import { createWorkerConnection } from './worker-connection.ts'

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

type WorkerState = 'new' | 'running' | 'stopping' | 'stopped'
const NEXT: Readonly<Record<WorkerState, readonly WorkerState[]>> = {
  new: ['running', 'stopping'],
  running: ['stopping'],
  stopping: ['stopped'],
  stopped: [],
}

/** Time to write the last outcomes after the deadline of the last attempt. */
const SETTLE_MS = 2_000
const MAX_REST_MS = 25
/**
 * There is no rest after a claim that started this many and a quarter of all attempts in flight,
 * while others had to wait. It makes bursts a tenth faster.
 */
const MIN_CROWD = 16
/** More successes than this keep their slots until they are written. */
const MAX_UNWRITTEN = 512

export function createWebhookWorker(options: WorkerOptions): WebhookWorker {
  const { orm, clock, logger, random = Math.random } = options
  const limits = { ...WORKER_LIMITS, ...options.limits }
  const kysely: Kysely<Database> = orm.em.fork().getKysely()
  const giveUp = new AbortController()
  let state: WorkerState = 'new'
  const enter = (next: WorkerState): void => {
    if (!NEXT[state].includes(next)) throw new Error(`a worker that is ${state} cannot become ${next}`)
    state = next
  }

  const connection = createWorkerConnection({
    orm,
    kysely,
    onNotification: (payload) => {
      claiming.wake()
      if (payload !== '') fanOut.wake()
    },
  })
  /** Attempts that ended since the last claim began, and how many the next one waits for. */
  let ended = 0
  let awaited = 1
  // An attempt that ends frees a slot here and at its endpoint.
  const slots = createSlots(limits, () => {
    ended += 1
    if (ended >= awaited) claiming.wake()
  })
  const metrics = createWorkerMetrics(options.metrics, slots)
  const vacuum = createQueueVacuum(kysely, logger)
  const maintenance = createMaintenance({ kysely, logger, metrics })
  const fanOut = createFanOut({ kysely, logger, onEnqueued: () => claiming.wake() })
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

  const held = new HeldClaims()
  /** Writes of successes whose slots are free. */
  const writing = new Set<Promise<void>>()
  const abandon = async (claim: StartedClaim, err: unknown): Promise<void> => {
    held.move(claim, 'released')
    if (giveUp.signal.aborted) return
    logger.error({ err, delivery: claim.id }, 'delivery attempt failed with an internal error, retrying')
    await release(connection, [claim], limits.internalErrorDelayMs).catch(() => undefined)
  }
  /** Resolves when the slot is free. A success frees it before it is written. */
  const deliver = async (claim: StartedClaim): Promise<void> => {
    try {
      held.move(claim, 'sending')
      const settlement = await attempt(claim, { ...options, limits, random })
      recordAttempt(metrics, settlement)
      const keepsSlot = settlement.outcome !== 'success' || held.unwritten >= MAX_UNWRITTEN
      held.move(claim, keepsSlot ? 'writing' : 'unwritten')
      const written = settlements.add(settlement).then(() => held.move(claim, 'settled'))
      if (keepsSlot) return await written
      const done = written.catch((err: unknown) => abandon(claim, err)).finally(() => writing.delete(done))
      writing.add(done)
    } catch (err) {
      await abandon(claim, err)
    }
  }

  const after = { pending: '', retrying: '' }
  const startDue = async (status: DueStatus): Promise<ClaimedDue> => {
    const finished = held.withoutSlot()
    const due = await claimDue(connection, { status, slots, limits, random, after: after[status], finished })
    after[status] = due.next
    for (const claim of due.claims) held.move(claim, 'claimed')
    if (state !== 'running') {
      for (const claim of due.claims) held.move(claim, 'released')
      await release(connection, due.claims, 0)
      return NOTHING_DUE
    }
    for (const claim of due.claims) slots.start(claim.lane, status, () => deliver(claim))
    vacuum.add(due.claims.length)
    return due
  }

  const reclaimExpired = async (): Promise<void> => {
    const { reclaimed, lost } = await reclaim(connection, limits)
    metrics.reclaims.inc(reclaimed + lost.length)
    const result = { outcome: 'lost', errorCode: 'worker_lost', durationMs: 0 } as const
    await Promise.all(
      lost.map((each) => {
        const context = { startedAt: clock.now(), random, deadlineMs: limits.deadlineMs }
        return settlements.add(settlementOf(each, result, context))
      }),
    )
  }

  let reclaimAt = 0
  let retriesAt = 0
  let lastPolledAt: number | null = null
  const failures = createFailureLog(logger, 'polling for due deliveries failed, retrying')
  /** Starts what is due. Returns how long to sleep, at most until a slot is free. */
  const poll = async (): Promise<number> => {
    const now = performance.now()
    ended = 0
    awaited = Infinity
    if (now >= reclaimAt) {
      reclaimAt = now + limits.reclaimMs
      await reclaimExpired()
    }
    const first = await startDue('pending')
    const retries = now >= retriesAt ? await startDue('retrying') : NOTHING_DUE
    if (now >= retriesAt && !retries.contended && retries.next === '') retriesAt = now + limits.pollMs
    lastPolledAt = clock.now()
    failures.clear()
    /** Attempts that started while others had to wait. */
    const crowd = [first, retries].reduce((sum, each) => sum + (each.contended ? each.claims.length : 0), 0)
    // While others wait, the next claim comes when half of what was started has ended.
    awaited = Math.max(1, crowd / 2)
    // Resting as long as the poll took lets deliveries collect, so that the next claim is larger.
    // If nothing could start, the same claim would find the same.
    const inFlight = slots.inFlight('fast') + slots.inFlight('slow')
    const restMs = crowd >= Math.max(MIN_CROWD, inFlight / 4) ? 0 : performance.now() - now
    await delay(Math.min(MAX_REST_MS, restMs))
    if (first.next !== '' || retries.next !== '' || ended >= awaited) return 0
    return crowd > 0 ? MAX_REST_MS : limits.pollMs * (0.75 + 0.5 * random())
  }
  const claiming = createBackgroundLoop({
    step: poll,
    onError: (err) => {
      if (state === 'running') failures.report(err)
    },
    retryMs: limits.pollMs,
  })

  const stop = async (): Promise<void> => {
    enter('stopping')
    await claiming.stop()
    const overdue = setTimeout(() => giveUp.abort(), limits.deadlineMs + SETTLE_MS)
    const written = slots.onIdle().then(() => Promise.all(writing))
    await Promise.race([written, once(giveUp.signal, 'abort')])
    clearTimeout(overdue)
    await Promise.all([maintenance.stop(), fanOut.stop(), vacuum.onIdle()])
    await connection.close()
    enter('stopped')
  }
  let stopped: Promise<void> | undefined
  return {
    start: () => {
      enter('running')
      for (const loop of [claiming, maintenance, fanOut]) loop.start()
    },
    wake: () => {
      claiming.wake()
      fanOut.wake()
    },
    lastPolledAt: () => lastPolledAt,
    stop: () => (stopped ??= stop()),
  }
}
