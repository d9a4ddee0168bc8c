import { setTimeout as delay } from 'node:timers/promises'
import { isAdvisoryLockWanted, tryAdvisoryLock } from '../../db/advisory-lock.ts'
import type { Orm } from '../../db/orm-types.ts'
import { openSession } from '../../db/session.ts'
import type { CachedValue } from '../../platform/async/cached-value.ts'
import { createFailureLog } from '../../platform/process/failure-log.ts'
import type { IndexedRows } from '../decode/rows.ts'
import { type LedgerRpc, retryingRpc } from '../rpc/ledger-rpc.ts'
import { createSlotTime } from '../rpc/ledger-probe.ts'
import { Announcements } from './announcements.ts'
import { type CatchUp, createCatchUp, sweepAccounts } from './catch-up.ts'
import type { IndexerContext, SeenTransaction, Waiter } from './context.ts'
import { IndexerEngine } from './engine.ts'
import { fetchStatuses } from './fetch/fetch-transactions.ts'
import { markFilled } from './filled-tables.ts'
import { createFinalityMonitor, type FinalityMonitor, reportOrphans } from './finality/finality-monitor.ts'
import { mayHaveForked, orphanForkedTransactions } from './finality/forks.ts'
import { LeadershipLostError, type OpenedLedger, openLedger } from './position.ts'
import { recordFailure } from './status.ts'

const POLL_MS = 1_000
/** Poll intervals while a listing lags behind the announcements, and while callers wait. */
const UNLISTED_POLL_MS = 100
const WAITER_POLL_MS = 20
const MIN_BACKOFF_MS = 100
const MAX_BACKOFF_MS = 5_000
/** A prepared transaction can land in less than half of these. */
const RECENT_SLOTS = 600

type Leadership = Awaited<ReturnType<typeof acquireLeadership>>

/**
 * Waits until no other process holds the advisory lock of the indexer: one leader per database.
 * Calls `onStandby` while another one does.
 */
export async function acquireLeadership(
  orm: Orm,
  options: { pollMs: number; signal: AbortSignal; onStandby: () => void },
) {
  const session = await openSession(orm)
  let isLost = false
  session.on('error', () => (isLost = true))
  session.on('end', () => (isLost = true))
  const release = async (): Promise<void> => {
    isLost = true
    await session.end().catch(() => {})
  }
  try {
    while (!(await tryAdvisoryLock(session, 'indexer'))) {
      options.onStandby()
      await delay(options.pollMs, undefined, { signal: options.signal })
    }
  } catch (error) {
    await release()
    throw error
  }
  return {
    get isLost() {
      return isLost
    },
    /** Whether another process, such as a rebuild, waits for it. Throws without the connection. */
    isWanted: () => isAdvisoryLockWanted(session, 'indexer'),
    release,
  }
}

/** Reads the ledger until the lock is lost or another process wants it. */
export async function lead(context: IndexerContext, leadership: Leadership): Promise<void> {
  const { options } = context
  const leaving = new AbortController()
  const signal = AbortSignal.any([context.signal, leaving.signal])
  const rpc = retryingRpc(options.rpc, { signal, maxAttempts: 6 })
  const opened = await openLedger(options.orm.em.fork().getKysely(), rpc, options.programId)
  const leader = new Leader(context, leadership, { ...opened, rpc, signal })
  try {
    await leader.run()
  } finally {
    leaving.abort(new LeadershipLostError('this process is no longer the leader'))
    await leader.close()
  }
}

/** The loop of the leader, and what it knows of its own progress. */
class Leader {
  readonly #context: IndexerContext
  readonly #leadership: Leadership
  readonly #rpc: LedgerRpc
  readonly #engine: IndexerEngine
  readonly #catchUp: CatchUp
  readonly #finality: FinalityMonitor
  readonly #announcements: Announcements
  readonly #slotTime: CachedValue<number>
  /** The tables contained everything up to this slot at this time. */
  #caughtUp: { slot: number; at: number } | null = null
  /** When the node was last asked for the tip. */
  #polledAt = -Infinity
  #isMarkedFilled = false

  constructor(
    context: IndexerContext,
    leadership: Leadership,
    ledger: OpenedLedger & { rpc: LedgerRpc; signal: AbortSignal },
  ) {
    const { options, status } = context
    this.#context = context
    this.#leadership = leadership
    this.#rpc = ledger.rpc
    this.#engine = this.#createEngine(ledger)
    status.cursorSlot = this.#engine.position.cursor.slot
    status.finalizedSlot = this.#engine.position.finalizedSlot
    this.#catchUp = createCatchUp(this.#engine)
    this.#finality = createFinalityMonitor(context, this.#engine)
    this.#slotTime = createSlotTime(options.rpc, options.clock)
    // Subscribes before the first listing, so that no transaction is missed in between.
    this.#announcements = new Announcements(context)
  }

  #createEngine(ledger: OpenedLedger & { rpc: LedgerRpc; signal: AbortSignal }): IndexerEngine {
    const { orm, programId, commitment, sink, clock, batchSize = 100, inFlight = 12 } = this.#context.options
    return new IndexerEngine({
      ...ledger,
      programId,
      commitment,
      batchSize,
      inFlight,
      useCopy: true,
      sink,
      db: () => orm.em.fork().getKysely(),
      transaction: (work) => orm.em.fork().transactional((em) => work(em.getKysely())),
      onWritten: (rows) => this.#onWritten(rows),
      onIngested: (infos) => this.#announcements.remove(infos),
      onSeen: (slot, seen) => this.#onSeen(slot, seen),
      caughtUp: () =>
        this.#caughtUp && { slot: this.#caughtUp.slot, age: (clock.now() - this.#caughtUp.at) / 1_000 },
    })
  }

  async run(): Promise<void> {
    const { options, status, signal, wakeUp, waiters } = this.#context
    const { clock, logger, pollMs = POLL_MS } = options
    const failures = createFailureLog(logger, 'could not read the ledger, retrying')
    let backoff = MIN_BACKOFF_MS
    while (!signal.aborted) {
      let wait = pollMs
      try {
        if (this.#leadership.isLost)
          throw new LeadershipLostError('the connection that held the lock is lost')
        if (this.#isPollDue() && (await this.#leadership.isWanted())) {
          logger.info('another process wants the indexer lock, standing by')
          return
        }
        await this.#poll()
        backoff = MIN_BACKOFF_MS
        status.failingSince = null
        failures.clear()
        if (this.#announcements.hasUnlisted) wait = UNLISTED_POLL_MS
        if (waiters.size > 0) wait = WAITER_POLL_MS
      } catch (error) {
        if (signal.aborted || this.#leadership.isLost || error instanceof LeadershipLostError) throw error
        recordFailure(status, clock)
        failures.report(error)
        // A fork may have removed the announced slot.
        this.#announcements.newestSlot = 0
        wait = backoff
        backoff = Math.min(backoff * 2, MAX_BACKOFF_MS)
      }
      await wakeUp.sleep(wait)
    }
  }

  async close(): Promise<void> {
    this.#announcements.close()
    await this.#finality.idle()
  }

  #isPollDue(): boolean {
    const { clock, pollMs = POLL_MS } = this.#context.options
    return clock.now() - this.#polledAt >= pollMs
  }

  /** Reads everything new. Asks for the tip only if a poll is due: announcements contain a slot. */
  async #poll(): Promise<void> {
    const { options, status, waiters } = this.#context
    const now = options.clock.now()
    // A caller that comes later may wait for a transaction of the same slot that is not listed now.
    const waiting = [...waiters]
    let tip: number | undefined
    let hasForked = false
    if (waiting.length > 0 || this.#isPollDue()) {
      this.#polledAt = now
      tip = await this.#rpc.call<number>('getSlot', [{ commitment: options.commitment }])
      status.tipSlot = tip
      void this.#measureSlots()
      hasForked = await mayHaveForked(this.#engine)
    }
    await this.#catchUp({
      fromFinalized: hasForked,
      minContextSlot: Math.max(tip ?? 0, this.#announcements.newestSlot),
      whileListing: () => this.#sweep(),
      onListed: (count) => {
        if (status.phase !== 'live') status.phase = 'backfilling'
        if (count > 1_000) options.logger.info({ transactions: count }, 'catching up with the ledger')
      },
    })
    if (hasForked) reportOrphans(this.#context, await orphanForkedTransactions(this.#engine))
    await this.#fetchOverdue()
    await this.#sweep()
    await this.#markFilledOnce()
    status.phase = 'live'
    status.subscribed = this.#announcements.isConnected
    if (tip !== undefined) this.#onCaughtUp(tip, now, waiting)
    this.#finality.tick()
  }

  /** Nothing waits for it: a node may not have this method. */
  async #measureSlots(): Promise<void> {
    const { status } = this.#context
    status.slotSeconds = await this.#slotTime.get().catch(() => status.slotSeconds)
  }

  async #markFilledOnce(): Promise<void> {
    if (this.#isMarkedFilled) return
    const { db, epoch } = this.#engine.options
    await markFilled(db(), epoch)
    this.#isMarkedFilled = true
  }

  async #sweep(): Promise<void> {
    if (!this.#engine.needsSweep || (await sweepAccounts(this.#engine))) return
    this.#context.options.logger.warn('the node does not list accounts: only transactions lead to them')
  }

  /**
   * Fetches announced transactions by signature if the listing has not contained them for a while.
   */
  async #fetchOverdue(): Promise<void> {
    const infos = await fetchStatuses(this.#rpc, this.#announcements.overdue())
    if (infos.length > 0) await this.#engine.ingest([infos])
  }

  #onWritten({ ledger_transactions, ledger_events, outbox_events }: IndexedRows): void {
    const { status, outboxListeners } = this.#context
    status.counters.transactions += ledger_transactions.length
    status.counters.events += ledger_events.length
    status.cursorSlot = Math.max(status.cursorSlot, this.#engine.position.cursor.slot)
    if (outbox_events.length > 0) for (const listener of outboxListeners) listener()
  }

  /**
   * Nobody waits for older transactions, which come in large numbers when the tables are filled.
   */
  #onSeen(slot: number, seen: SeenTransaction): void {
    if (slot < this.#context.status.tipSlot - RECENT_SLOTS) return
    for (const listener of this.#context.transactionListeners) listener(seen)
  }

  /** The tables contain everything up to `slot`, which was the tip at `time`. */
  #onCaughtUp(slot: number, time: number, waiting: readonly Waiter[]): void {
    const { status, waiters } = this.#context
    this.#caughtUp = { slot, at: time }
    status.caughtUpAt = time
    status.cursorSlot = Math.max(slot, status.cursorSlot)
    for (const waiter of waiting) {
      if (waiter.slot > slot) continue
      waiters.delete(waiter)
      waiter.resolve()
    }
  }
}
