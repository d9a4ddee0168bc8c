import type { Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'
import { retryingRpc } from '../rpc/retrying-rpc.ts'
import type { LedgerRpc } from '../rpc/ledger-rpc.ts'
import { Announcements } from './announcements.ts'
import { lookUp } from './awaited-signatures.ts'
import { IndexerEngine } from './engine.ts'
import type { EngineOptions } from './engine-options.ts'
import { FinalityWatch, noteOrphans } from './finality/finality-watch.ts'
import { mayHaveForked, takeBackForked } from './finality/forks.ts'
import type { Leadership } from './leadership.ts'
import { openLedger } from './open-ledger.ts'
import { LeadershipLostError } from './position.ts'
import { noteFailure } from './status.ts'
import { sweepAccounts } from './sweep-accounts.ts'
import type { IndexerContext } from './indexer-context.ts'

const AWAITED_POLL_MS = 100
const WAITER_POLL_MS = 20
const MAX_BACKOFF_MS = 5_000

/** Reads the ledger for as long as the lock is held and nobody else wants it. */
export async function leadOnce(context: IndexerContext, leadership: Leadership): Promise<void> {
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
    copies: true,
    db,
    transaction: (work) => options.orm.em.fork().transactional((em) => work(em.getKysely())),
  })
  try {
    await leader.run()
  } finally {
    leaving.abort(new LeadershipLostError('this process leads no more'))
    await leader.close()
  }
}

class Leader {
  readonly #context: IndexerContext
  readonly #leadership: Leadership
  readonly #rpc: LedgerRpc
  readonly #engine: IndexerEngine
  readonly #announcements: Announcements
  readonly #finality: FinalityWatch
  #polledAt = -Infinity

  constructor(context: IndexerContext, leadership: Leadership, options: Omit<EngineOptions, 'onWritten'>) {
    this.#context = context
    this.#leadership = leadership
    this.#rpc = options.rpc
    this.#engine = new IndexerEngine({ ...options, onWritten: (written) => this.#written(written) })
    this.#finality = new FinalityWatch(context, this.#engine)
    context.status.cursorSlot = options.position.cursor.slot
    context.status.finalizedSlot = options.position.finalizedSlot
    // Subscribed before the first listing, so that nothing falls between the two.
    this.#announcements = new Announcements(context)
  }

  async run(): Promise<void> {
    const { options, signal, status, waiters, wakeUp } = this.#context
    let backoff = 100
    while (!signal.aborted) {
      let wait = options.pollMs ?? 1_000
      try {
        if (this.#leadership.isLost) throw new LeadershipLostError('the lock was lost with its connection')
        if (await this.#isWanted()) return
        await this.#pass()
        backoff = 100
        status.failingSince = null
        if (this.#announcements.awaited.size > 0) wait = AWAITED_POLL_MS
        if (waiters.size > 0) wait = WAITER_POLL_MS
      } catch (error) {
        if (signal.aborted || this.#leadership.isLost || error instanceof LeadershipLostError) throw error
        noteFailure(status, options.clock)
        options.logger.warn({ err: error, retryMs: backoff }, 'reading the ledger failed and is tried again')
        // A fork may have taken the announced slot away.
        this.#announcements.slot = 0
        wait = backoff
        backoff = Math.min(backoff * 2, MAX_BACKOFF_MS)
      }
      await wakeUp.sleep(wait)
    }
  }

  /** Call it once nothing can be read any more. */
  async close(): Promise<void> {
    this.#announcements.close()
    await this.#finality.idle()
  }

  async #isWanted(): Promise<boolean> {
    if (!this.#isPollDue() || !(await this.#leadership.isWanted())) return false
    this.#context.options.logger.info('another process asked for the indexer lock, standing by')
    return true
  }

  #isPollDue(): boolean {
    const { options } = this.#context
    return options.clock.now() - this.#polledAt >= (options.pollMs ?? 1_000)
  }

  async #pass(): Promise<void> {
    const { options, status, waiters } = this.#context
    const { commitment, clock } = options
    const now = clock.now()
    let tip: number | undefined
    let again = false
    if (waiters.size > 0 || this.#isPollDue()) {
      this.#polledAt = now
      tip = await this.#rpc.call<number>('getSlot', [{ commitment }])
      status.tipSlot = tip
      again = await mayHaveForked(this.#engine)
    }
    const seen = await this.#engine.catchUp({
      again,
      minContextSlot: Math.max(tip ?? 0, this.#announcements.slot),
      meanwhile: () => this.#sweep(),
      onBacklog: (count) => {
        if (status.phase !== 'live') status.phase = 'backfilling'
        if (count > 1_000) options.logger.info({ transactions: count }, 'catching up with the ledger')
      },
    })
    this.#announcements.awaited.remove(seen)
    if (again) noteOrphans(this.#context, await takeBackForked(this.#engine))
    await this.#fetchOverdue()
    await this.#sweep()
    status.phase = 'live'
    status.subscribed = this.#announcements.connected
    if (tip !== undefined) this.#cover(tip, now)
    this.#finality.tick()
  }

  async #sweep(): Promise<void> {
    if (!this.#engine.sweepDue || (await sweepAccounts(this.#engine))) return
    this.#context.options.logger.warn('the node does not list accounts: only its transactions lead to them')
  }

  /** What was announced and not listed for a while is fetched by its signature. */
  async #fetchOverdue(): Promise<void> {
    const infos = await lookUp(this.#rpc, this.#announcements.awaited.overdue())
    if (infos.length === 0) return
    await this.#engine.ingest(infos)
    this.#announcements.awaited.remove(infos.map((info) => info.signature))
  }

  #written(written: { transactions: number; events: number; outbox: number }): void {
    const { options, status, outboxListeners } = this.#context
    status.counters.transactions += written.transactions
    status.counters.events += written.events
    status.cursorSlot = Math.max(status.cursorSlot, this.#engine.position.cursor.slot)
    if (written.events > 0) status.lastEventAt = new Date(options.clock.now()).toISOString()
    if (written.outbox > 0) for (const listener of outboxListeners) listener()
  }

  /** Everything up to `slot`, the tip at `askedAt`, is in the tables. */
  #cover(slot: number, askedAt: number): void {
    const { status, waiters } = this.#context
    status.coveredAt = askedAt
    status.cursorSlot = Math.max(slot, status.cursorSlot)
    for (const waiter of waiters) {
      if (waiter.slot > slot) continue
      waiters.delete(waiter)
      waiter.resolve()
    }
  }
}
