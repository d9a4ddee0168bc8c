import type { Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { LedgerRpc } from '../rpc/ledger-rpc.ts'
import { retryingRpc } from '../rpc/retrying-rpc.ts'
import { Announcements } from './announcements.ts'
import { CatchUp } from './catch-up.ts'
import type { IndexerContext } from './context.ts'
import { IndexerEngine } from './engine.ts'
import type { EngineOptions } from './engine-options.ts'
import { fetchStatuses } from './fetch/fetch-statuses.ts'
import { FinalityMonitor, reportOrphans } from './finality/finality-monitor.ts'
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

/** Reads the ledger until the lock is lost or another process wants it. */
export async function lead(context: IndexerContext, leadership: Leadership): Promise<void> {
  const { options } = context
  const leaving = new AbortController()
  const signal = AbortSignal.any([context.signal, leaving.signal])
  const db = (): Kysely<Database> => options.orm.em.fork().getKysely()
  const rpc = retryingRpc(options.rpc, { signal, maxAttempts: 6 })
  const { programId, commitment, batchSize = 100, inFlight = 12 } = options
  const leader = new Leader(context, leadership, {
    ...(await openLedger(db(), rpc, programId)),
    rpc,
    programId,
    commitment,
    signal,
    batchSize,
    inFlight,
    useCopy: true,
    db,
    transaction: (work) => options.orm.em.fork().transactional((em) => work(em.getKysely())),
  })
  try {
    await leader.run()
  } finally {
    leaving.abort(new LeadershipLostError('this process is no longer the leader'))
    await leader.close()
  }
}

class Leader {
  readonly #context: IndexerContext
  readonly #leadership: Leadership
  readonly #rpc: LedgerRpc
  readonly #engine: IndexerEngine
  readonly #catchUp: CatchUp
  readonly #announcements: Announcements
  readonly #finality: FinalityMonitor
  readonly #pollMs: number
  #polledAt = -Infinity

  constructor(context: IndexerContext, leadership: Leadership, options: Omit<EngineOptions, 'onWritten'>) {
    this.#context = context
    this.#leadership = leadership
    this.#rpc = options.rpc
    this.#pollMs = context.options.pollMs ?? 1_000
    this.#engine = new IndexerEngine({ ...options, onWritten: (written) => this.#onWritten(written) })
    this.#catchUp = new CatchUp(this.#engine)
    this.#finality = new FinalityMonitor(context, this.#engine)
    context.status.cursorSlot = options.position.cursor.slot
    context.status.finalizedSlot = options.position.finalizedSlot
    // Subscribes before the first listing, so that no transaction is missed in between.
    this.#announcements = new Announcements(context)
  }

  async run(): Promise<void> {
    const { options, signal, status, waiters, wakeUp } = this.#context
    let backoff = MIN_BACKOFF_MS
    while (!signal.aborted) {
      let wait = this.#pollMs
      try {
        if (this.#leadership.isLost)
          throw new LeadershipLostError('the connection that held the lock is lost')
        if (this.#isPollDue() && (await this.#leadership.isWanted())) {
          options.logger.info('another process wants the indexer lock, standing by')
          return
        }
        await this.#poll()
        backoff = MIN_BACKOFF_MS
        status.failingSince = null
        if (this.#announcements.unlisted.size > 0) wait = UNLISTED_POLL_MS
        if (waiters.size > 0) wait = WAITER_POLL_MS
      } catch (error) {
        if (signal.aborted || this.#leadership.isLost || error instanceof LeadershipLostError) throw error
        recordFailure(status, options.clock)
        options.logger.warn({ err: error, retryMs: backoff }, 'could not read the ledger, retrying')
        // A fork may have removed the announced slot.
        this.#announcements.newestSlot = 0
        wait = backoff
        backoff = Math.min(backoff * 2, MAX_BACKOFF_MS)
      }
      await wakeUp.sleep(wait)
    }
  }

  /** Call it after the signal is aborted: waits for the finality check. */
  async close(): Promise<void> {
    this.#announcements.close()
    await this.#finality.idle()
  }

  #isPollDue(): boolean {
    return this.#context.options.clock.now() - this.#polledAt >= this.#pollMs
  }

  /** Reads everything new. Asks for the tip only if a poll is due: announcements need less. */
  async #poll(): Promise<void> {
    const { options, status, waiters } = this.#context
    const { commitment, clock } = options
    const now = clock.now()
    let tip: number | undefined
    let hasForked = false
    if (waiters.size > 0 || this.#isPollDue()) {
      this.#polledAt = now
      tip = await this.#rpc.call<number>('getSlot', [{ commitment }])
      status.tipSlot = tip
      hasForked = await mayHaveForked(this.#engine)
    }
    const read = await this.#catchUp.run({
      fromFinalized: hasForked,
      minContextSlot: Math.max(tip ?? 0, this.#announcements.newestSlot),
      whileListing: () => this.#sweep(),
      onListed: (count) => {
        if (status.phase !== 'live') status.phase = 'backfilling'
        if (count > 1_000) options.logger.info({ transactions: count }, 'catching up with the ledger')
      },
    })
    this.#announcements.unlisted.remove(read)
    if (hasForked) reportOrphans(this.#context, await orphanForkedTransactions(this.#engine))
    await this.#fetchOverdue()
    await this.#sweep()
    status.phase = 'live'
    status.subscribed = this.#announcements.connected
    if (tip !== undefined) this.#onCaughtUp(tip, now)
    this.#finality.tick()
  }

  async #sweep(): Promise<void> {
    if (!this.#engine.needsSweep || (await sweepAccounts(this.#engine))) return
    this.#context.options.logger.warn('the node does not list accounts: only transactions lead to them')
  }

  /** Fetches announced transactions by signature if the listing has not contained them for a while. */
  async #fetchOverdue(): Promise<void> {
    const { unlisted } = this.#announcements
    const infos = await fetchStatuses(this.#rpc, unlisted.overdue())
    if (infos.length === 0) return
    await this.#engine.ingest([infos])
    unlisted.remove(infos.map((info) => info.signature))
  }

  #onWritten(written: { transactions: number; events: number; outbox: number }): void {
    const { options, status, outboxListeners } = this.#context
    status.counters.transactions += written.transactions
    status.counters.events += written.events
    status.cursorSlot = Math.max(status.cursorSlot, this.#engine.position.cursor.slot)
    if (written.events > 0) status.lastEventAt = new Date(options.clock.now()).toISOString()
    if (written.outbox > 0) for (const listener of outboxListeners) listener()
  }

  /** The tables contain everything up to `slot`, which was the tip at the time `polledAt`. */
  #onCaughtUp(slot: number, polledAt: number): void {
    const { status, waiters } = this.#context
    status.caughtUpAt = polledAt
    status.cursorSlot = Math.max(slot, status.cursorSlot)
    for (const waiter of waiters) {
      if (waiter.slot > slot) continue
      waiters.delete(waiter)
      waiter.resolve()
    }
  }
}
