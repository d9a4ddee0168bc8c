import type { Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'
import { createFailureLog } from '../../platform/process/failure-log.ts'
import { retryingRpc } from '../rpc/ledger-rpc.ts'
import { createSlotTime } from '../rpc/ledger-probe.ts'
import { subscribeToAnnouncements } from './announcements.ts'
import { createCatchUp } from './catch-up.ts'
import type { IndexerContext, SeenTransaction, Waiter } from './context.ts'
import { IndexerEngine } from './engine.ts'
import { fetchStatuses } from './fetch/fetch-transactions.ts'
import { markFilled } from './filled-tables.ts'
import { createFinalityMonitor, reportOrphans } from './finality/finality-monitor.ts'
import { mayHaveForked, orphanForkedTransactions } from './finality/forks.ts'
import type { Leadership } from './leadership.ts'
import { openLedger } from './open-ledger.ts'
import { LeadershipLostError } from './position.ts'
import { recordFailure } from './status.ts'
import { sweepAccounts } from './sweep-accounts.ts'

/** Poll intervals while a listing lags behind the announcements, and while callers wait. */
const UNLISTED_POLL_MS = 100
const WAITER_POLL_MS = 20
const MIN_BACKOFF_MS = 100
const MAX_BACKOFF_MS = 5_000
/** A prepared transaction can land in less than half of these. */
const RECENT_SLOTS = 600

/** Reads the ledger until the lock is lost or another process wants it. */
export async function lead(context: IndexerContext, leadership: Leadership): Promise<void> {
  const { options, status, waiters, wakeUp } = context
  const { programId, commitment, clock, logger, pollMs = 1_000, batchSize = 100, inFlight = 12 } = options
  const leaving = new AbortController()
  const signal = AbortSignal.any([context.signal, leaving.signal])
  let caughtUp: { slot: number; at: number } | null = null
  const db = (): Kysely<Database> => options.orm.em.fork().getKysely()
  const rpc = retryingRpc(options.rpc, { signal, maxAttempts: 6 })
  const engine = new IndexerEngine({
    ...(await openLedger(db(), rpc, programId)),
    rpc,
    programId,
    commitment,
    signal,
    batchSize,
    inFlight,
    useCopy: true,
    sink: options.sink,
    db,
    transaction: (work) => options.orm.em.fork().transactional((em) => work(em.getKysely())),
    onWritten,
    onSeen,
    caughtUp: () => caughtUp && { slot: caughtUp.slot, age: (clock.now() - caughtUp.at) / 1_000 },
  })
  status.cursorSlot = engine.position.cursor.slot
  status.finalizedSlot = engine.position.finalizedSlot
  const catchUp = createCatchUp(engine)
  const finality = createFinalityMonitor(context, engine)
  const slotTime = createSlotTime(options.rpc, clock)
  // Subscribes before the first listing, so that no transaction is missed in between.
  const announcements = subscribeToAnnouncements(context)
  const failures = createFailureLog(logger, 'could not read the ledger, retrying')
  let polledAt = -Infinity
  let isMarkedFilled = false
  try {
    await run()
  } finally {
    leaving.abort(new LeadershipLostError('this process is no longer the leader'))
    announcements.close()
    await finality.idle()
  }

  async function run(): Promise<void> {
    let backoff = MIN_BACKOFF_MS
    while (!context.signal.aborted) {
      let wait = pollMs
      try {
        if (leadership.isLost) throw new LeadershipLostError('the connection that held the lock is lost')
        if (isPollDue() && (await leadership.isWanted())) {
          logger.info('another process wants the indexer lock, standing by')
          return
        }
        await poll()
        backoff = MIN_BACKOFF_MS
        status.failingSince = null
        failures.clear()
        if (announcements.hasUnlisted()) wait = UNLISTED_POLL_MS
        if (waiters.size > 0) wait = WAITER_POLL_MS
      } catch (error) {
        if (context.signal.aborted || leadership.isLost || error instanceof LeadershipLostError) throw error
        recordFailure(status, clock)
        failures.report(error)
        // A fork may have removed the announced slot.
        announcements.newestSlot = 0
        wait = backoff
        backoff = Math.min(backoff * 2, MAX_BACKOFF_MS)
      }
      await wakeUp.sleep(wait)
    }
  }

  /** Nothing waits for it: a node may not have this method. */
  async function measureSlots(): Promise<void> {
    status.slotSeconds = await slotTime.get().catch(() => status.slotSeconds)
  }

  function isPollDue(): boolean {
    return clock.now() - polledAt >= pollMs
  }

  /** Reads everything new. Asks for the tip only if a poll is due: announcements contain a slot. */
  async function poll(): Promise<void> {
    const now = clock.now()
    // A caller that comes later may wait for a transaction of the same slot that is not listed now.
    const waiting = [...waiters]
    let tip: number | undefined
    let hasForked = false
    if (waiting.length > 0 || isPollDue()) {
      polledAt = now
      tip = await rpc.call<number>('getSlot', [{ commitment }])
      status.tipSlot = tip
      void measureSlots()
      hasForked = await mayHaveForked(engine)
    }
    const read = await catchUp({
      fromFinalized: hasForked,
      minContextSlot: Math.max(tip ?? 0, announcements.newestSlot),
      whileListing: sweep,
      onListed: (count) => {
        if (status.phase !== 'live') status.phase = 'backfilling'
        if (count > 1_000) logger.info({ transactions: count }, 'catching up with the ledger')
      },
    })
    announcements.remove(read)
    if (hasForked) reportOrphans(context, await orphanForkedTransactions(engine))
    await fetchOverdue()
    await sweep()
    await markFilledOnce()
    status.phase = 'live'
    status.subscribed = announcements.isConnected()
    if (tip !== undefined) onCaughtUp(tip, now, waiting)
    finality.tick()
  }

  async function markFilledOnce(): Promise<void> {
    if (isMarkedFilled) return
    await markFilled(db(), engine.options.epoch)
    isMarkedFilled = true
  }

  async function sweep(): Promise<void> {
    if (!engine.needsSweep || (await sweepAccounts(engine))) return
    logger.warn('the node does not list accounts: only transactions lead to them')
  }

  /**
   * Fetches announced transactions by signature if the listing has not contained them for a while.
   */
  async function fetchOverdue(): Promise<void> {
    const infos = await fetchStatuses(rpc, announcements.overdue())
    if (infos.length === 0) return
    await engine.ingest([infos])
    announcements.remove(infos.map((info) => info.signature))
  }

  function onWritten(written: { transactions: number; events: number; outbox: number }): void {
    status.counters.transactions += written.transactions
    status.counters.events += written.events
    status.cursorSlot = Math.max(status.cursorSlot, engine.position.cursor.slot)
    if (written.outbox > 0) for (const listener of context.outboxListeners) listener()
  }

  /**
   * Nobody waits for older transactions, which come in large numbers when the tables are filled.
   */
  function onSeen(slot: number, seen: SeenTransaction): void {
    if (slot < status.tipSlot - RECENT_SLOTS) return
    for (const listener of context.transactionListeners) listener(seen)
  }

  /** The tables contain everything up to `slot`, which was the tip at `time`. */
  function onCaughtUp(slot: number, time: number, waiting: readonly Waiter[]): void {
    caughtUp = { slot, at: time }
    status.caughtUpAt = time
    status.cursorSlot = Math.max(slot, status.cursorSlot)
    for (const waiter of waiting) {
      if (waiter.slot > slot) continue
      waiters.delete(waiter)
      waiter.resolve()
    }
  }
}
