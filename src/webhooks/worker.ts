import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import PQueue from 'p-queue'
import type { Orm } from '../db/orm-types.ts'
import { type BackgroundLoop, createBackgroundLoop } from '../platform/async/background-loop.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics/metrics.ts'
import { createFailureLog } from '../platform/process/failure-log.ts'
import { cancelForInactiveWebhooks } from './cancel.ts'
import { claimDue, type ClaimedDue, NOTHING_DUE, type StartedClaim, HeldClaims } from './claim-due.ts'
import { createFanOut } from './enqueue.ts'
import { WORKER_LIMITS, type WorkerLimits } from './limits.ts'
import { createMaintenance, createQueueVacuum, type QueueVacuum } from './maintenance.ts'
import { createWorkerMetrics, type WorkerMetrics } from './metrics.ts'
import { reclaim, release } from './queue.ts'
import type { Send } from './send.ts'
import {
  createSettlements,
  type Settlement,
  settlementOf,
  type Settlements,
  type SettleResult,
} from './settle.ts'
import { createSlots, type DueStatus, type Slots } from './slots.ts'
import { createWorkerConnection, type WorkerConnection } from './worker-connection.ts'

export interface WorkerOptions {
  readonly orm: Orm
  readonly send: Send
  /** Decrypts a stored secret. Throws if no configured key fits. */
  readonly openSecret: (encrypted: Buffer, subscriptionId: string) => string
  readonly clock: Clock
  readonly logger: Pick<Logger, 'warn' | 'error'>
  readonly metrics: Metrics
  /** In [0, 1). */
  readonly random?: () => number
  readonly limits?: Partial<WorkerLimits>
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
 * While others wait, the worker does not rest after a claim that is large: at least so many
 * attempts, and a quarter of those in flight. It makes bursts a tenth faster.
 */
const LARGE_CLAIM = 16
/** More successes than this keep their slots until they are written. */
const MAX_DELIVERED = 512

export const createWebhookWorker = (options: WorkerOptions): WebhookWorker => new WebhookWorker(options)

/**
 * Sends due deliveries. All its state is in the database, so any number of processes can run one.
 * The methods are in the order of the flow: poll, claim, deliver, attempt, settle.
 */
export class WebhookWorker {
  readonly #options: WorkerOptions & { readonly limits: WorkerLimits; readonly random: () => number }
  readonly #connection: WorkerConnection
  readonly #metrics: WorkerMetrics
  readonly #held = new HeldClaims()
  readonly #slots: Slots
  readonly #settlements: Settlements
  /** Successes that are being written. Their slots are free. */
  readonly #writes = new PQueue()
  readonly #claiming: BackgroundLoop
  readonly #maintenance: BackgroundLoop
  readonly #fanOut: BackgroundLoop
  readonly #vacuum: QueueVacuum
  readonly #giveUp = new AbortController()
  #state: WorkerState = 'new'
  #stopped: Promise<void> | undefined
  #lastPolledAt: number | null = null
  #reclaimAt = 0
  #retriesAt = 0
  /** Where the next claim continues: see `ClaimedDue`. */
  readonly #after = { pending: '', retrying: '' }
  /** Attempts that ended since the last claim began, and how many of them wake the worker. */
  #ended = 0
  #wakeAfter = 1

  constructor(options: WorkerOptions) {
    const limits = { ...WORKER_LIMITS, ...options.limits }
    this.#options = { random: Math.random, ...options, limits }
    const { orm, logger } = options
    const kysely = orm.em.fork().getKysely()
    const { report, clear } = createFailureLog(logger, 'polling for due deliveries failed, retrying')
    this.#claiming = createBackgroundLoop({
      step: () => this.#poll(),
      failures: { report: (err) => this.#state === 'running' && report(err), clear },
      retryMs: limits.pollMs,
    })
    // An attempt that ends frees a slot here, and lets its webhook get another attempt.
    this.#slots = createSlots(limits, () => {
      this.#ended += 1
      if (this.#ended >= this.#wakeAfter) this.#claiming.wake()
    })
    const onNotification = (payload?: string): void => {
      this.#claiming.wake()
      if (payload !== '') this.#fanOut.wake()
    }
    this.#connection = createWorkerConnection({ orm, kysely, onNotification })
    this.#metrics = createWorkerMetrics(options.metrics, this.#slots)
    this.#maintenance = createMaintenance({ kysely, logger, metrics: this.#metrics })
    this.#vacuum = createQueueVacuum(kysely, logger)
    this.#fanOut = createFanOut({ kysely, logger, onEnqueued: () => this.#claiming.wake() })
    const onSettled = (result: SettleResult): void => {
      this.#metrics.settled(result)
      for (const webhook of result.disabled) logger.warn(webhook, 'webhook disabled')
      if (result.disabled.length > 0) void cancelForInactiveWebhooks(kysely).catch(() => undefined)
    }
    this.#settlements = createSettlements({ kysely, logger, giveUp: this.#giveUp.signal, onSettled })
  }

  #enter(next: WorkerState): void {
    if (!NEXT[this.#state].includes(next))
      throw new Error(`a worker that is ${this.#state} cannot become ${next}`)
    this.#state = next
  }

  /** Returns at once. The worker runs in the background until `stop`. */
  start(): void {
    this.#enter('running')
    for (const loop of [this.#claiming, this.#maintenance, this.#fanOut]) loop.start()
  }

  /** Polls now, because a delivery may be due. */
  wake(): void {
    this.#claiming.wake()
    this.#fanOut.wake()
  }

  /** Time of the last successful poll, in ms since the epoch. Null before the first one. */
  lastPolledAt(): number | null {
    return this.#lastPolledAt
  }

  /** Starts what is due. Returns how long to sleep, at most until a slot is free. */
  async #poll(): Promise<number> {
    const { limits, clock } = this.#options
    const now = performance.now()
    this.#ended = 0
    this.#wakeAfter = Infinity
    if (now >= this.#reclaimAt) {
      this.#reclaimAt = now + limits.reclaimMs
      await this.#reclaimExpired()
    }
    const first = await this.#startDue('pending')
    const retries = now >= this.#retriesAt ? await this.#startDue('retrying') : NOTHING_DUE
    if (now >= this.#retriesAt && !retries.contended && retries.next === '')
      this.#retriesAt = now + limits.pollMs
    this.#lastPolledAt = clock.now()
    return this.#rest(now, [first, retries])
  }

  async #startDue(status: DueStatus): Promise<ClaimedDue> {
    const { limits, random } = this.#options
    const due = await claimDue(this.#connection, {
      status,
      slots: this.#slots,
      limits,
      random,
      after: this.#after[status],
      finished: this.#held.withoutSlot(),
    })
    this.#after[status] = due.next
    for (const claim of due.claims) this.#held.move(claim, 'claimed')
    // The worker can be stopped while it claims.
    if (this.#state !== 'running') {
      for (const claim of due.claims) this.#held.move(claim, 'released')
      await release(this.#connection, due.claims, 0)
      return NOTHING_DUE
    }
    for (const claim of due.claims) this.#slots.start(claim.lane, status, () => this.#deliver(claim))
    this.#vacuum.add(due.claims.length)
    return due
  }

  /** Resolves when the slot is free. A success frees it before it is written. */
  async #deliver(claim: StartedClaim): Promise<void> {
    try {
      this.#held.move(claim, 'sending')
      const settlement = await this.#attempt(claim)
      this.#metrics.attempted(settlement)
      if (settlement.outcome === 'success' && this.#held.delivered < MAX_DELIVERED) {
        this.#held.move(claim, 'delivered')
        void this.#writes.add(() => this.#settle(claim, settlement))
      } else {
        this.#held.move(claim, 'writing')
        await this.#settle(claim, settlement)
      }
    } catch (error) {
      await this.#abandon(claim, error)
    }
  }

  /** Makes one attempt, signed with the current secrets. Rejects only on an internal error. */
  async #attempt(claim: StartedClaim): Promise<Settlement> {
    const { send, openSecret, clock, limits, random } = this.#options
    if (claim.body === null) throw new Error('the event of this delivery is missing in outbox_events')
    const startedAt = clock.now()
    const result = await send({
      url: claim.url,
      secrets: claim.secrets.map((each) => openSecret(Buffer.from(each, 'base64'), claim.subscription_id)),
      eventId: claim.event_id,
      eventType: claim.event_type,
      body: claim.body,
      deliveryId: claim.id,
      attempt: claim.attempt_count + 1,
      deadlineMs: claim.short ? limits.firstDeadlineMs : limits.deadlineMs,
    })
    // The process is stopping, so nothing is known about the receiver.
    if (result.errorCode === 'aborted') throw new Error('the attempt was aborted')
    return settlementOf(claim, result, { startedAt, random, deadlineMs: limits.deadlineMs })
  }

  /** Never rejects. */
  async #settle(claim: StartedClaim, settlement: Settlement): Promise<void> {
    try {
      await this.#settlements.add(settlement)
      this.#held.move(claim, 'settled')
    } catch (error) {
      await this.#abandon(claim, error)
    }
  }

  /** After an internal error, another attempt is due soon. It is not the receiver's failure. */
  async #abandon(claim: StartedClaim, err: unknown): Promise<void> {
    this.#held.move(claim, 'released')
    if (this.#giveUp.signal.aborted) return
    const { logger, limits } = this.#options
    logger.error({ err, delivery: claim.id }, 'delivery attempt failed with an internal error, retrying')
    await release(this.#connection, [claim], limits.internalErrorDelayMs).catch(() => undefined)
  }

  async #reclaimExpired(): Promise<void> {
    const { clock, limits, random } = this.#options
    const { reclaimed, lost } = await reclaim(this.#connection, limits)
    this.#metrics.reclaimed(reclaimed + lost.length)
    const result = { outcome: 'lost', errorCode: 'worker_lost', durationMs: 0 } as const
    await Promise.all(
      lost.map((each) => {
        const context = { startedAt: clock.now(), random, deadlineMs: limits.deadlineMs }
        return this.#settlements.add(settlementOf(each, result, context))
      }),
    )
  }

  /** Rests after the claims of a poll. Returns how long to sleep after that, unless woken. */
  async #rest(startedAt: number, claimed: readonly ClaimedDue[]): Promise<number> {
    const { limits, random } = this.#options
    // While others wait, the next claim comes when half of what was started has ended.
    const started = claimed.reduce((sum, { contended, claims }) => sum + (contended ? claims.length : 0), 0)
    this.#wakeAfter = Math.max(1, started / 2)
    // Resting as long as the poll took lets deliveries collect, so that the next claim is larger.
    // If nothing could start, the same claim would find the same.
    const isLarge =
      started >= Math.max(LARGE_CLAIM, (this.#slots.inFlight('fast') + this.#slots.inFlight('slow')) / 4)
    await delay(isLarge ? 0 : Math.min(MAX_REST_MS, performance.now() - startedAt))
    if (claimed.some(({ next }) => next !== '') || this.#ended >= this.#wakeAfter) return 0
    return started > 0 ? MAX_REST_MS : limits.pollMs * (0.75 + 0.5 * random())
  }

  /** Claims nothing more and waits for the attempts in flight. */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop())
  }

  async #stop(): Promise<void> {
    this.#enter('stopping')
    await this.#claiming.stop()
    const overdueMs = this.#options.limits.deadlineMs + SETTLE_MS
    const overdue = setTimeout(() => this.#giveUp.abort(), overdueMs)
    const written = this.#slots.onIdle().then(() => this.#writes.onIdle())
    await Promise.race([written, once(this.#giveUp.signal, 'abort')])
    clearTimeout(overdue)
    await Promise.all([this.#maintenance.stop(), this.#fanOut.stop(), this.#vacuum.onIdle()])
    await this.#connection.close()
    this.#enter('stopped')
  }
}
