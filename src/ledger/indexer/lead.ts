import type { Kysely } from 'kysely'
import type { Database } from '../../db/tables.ts'
import { subscribeToLogs } from '../log-subscription.ts'
import { retryingRpc } from '../retrying-rpc.ts'
import { AwaitedSignatures } from './awaited-signatures.ts'
import { IndexerEngine } from './engine.ts'
import type { IndexerContext } from './indexer.ts'
import type { Leadership } from './leadership.ts'
import { openLedger } from './open-ledger.ts'
import { LeadershipLostError } from './state.ts'
import { verifyFinality } from './verify-finality.ts'

const AWAITED_POLL_MS = 100
const WAITER_POLL_MS = 20
const MAX_BACKOFF_MS = 5_000

/** Reads the ledger for as long as the lock is held and nobody else wants it. */
export async function leadOnce(context: IndexerContext, leadership: Leadership): Promise<void> {
  const { options, status, signal, wakeUp } = context
  const db = (): Kysely<Database> => options.orm.em.fork().getKysely<Database>()
  const rpc = retryingRpc(options.rpc, { signal, maxAttempts: 6 })
  const { programId, commitment } = options
  const ledger = await openLedger(db(), rpc, programId)
  const engine = new IndexerEngine({
    ...ledger,
    rpc,
    programId,
    commitment,
    signal,
    batchSize: options.batchSize ?? 100,
    db,
    transaction: (work) => options.orm.em.fork().transactional((em) => work(em.getKysely<Database>())),
    onWritten: (written) => {
      status.counters.transactions += written.transactions
      status.counters.events += written.events
      status.cursorSlot = Math.max(status.cursorSlot, engine.position.cursor.slot)
      if (written.events > 0) status.lastEventAt = new Date(options.clock.now()).toISOString()
      if (written.outbox > 0) for (const listener of context.outboxListeners) listener()
    },
  })
  status.cursorSlot = engine.position.cursor.slot
  const awaited = new AwaitedSignatures(options.clock)
  let announcedSlot = 0
  // Subscribed before the first listing, so that nothing falls between the two.
  const subscription =
    options.wsUrl === undefined
      ? undefined
      : subscribeToLogs({
          url: options.wsUrl,
          programId,
          commitment,
          logger: options.logger,
          ...(options.quietMs === undefined ? {} : { quietMs: options.quietMs }),
          onTransaction: ({ signature, slot }) => {
            awaited.add(signature)
            announcedSlot = Math.max(announcedSlot, slot)
            wakeUp.wake()
          },
          onSlot: (slot) => {
            if (status.phase === 'backfilling') status.tipSlot = Math.max(status.tipSlot, slot)
          },
          onConnected: () => wakeUp.wake(),
        })

  let polledAt = -Infinity
  let verifiedAt = -Infinity
  async function pass(): Promise<boolean> {
    const now = options.clock.now()
    status.subscribed = subscription?.connected ?? false
    let tip: number | undefined
    if (context.waiters.size > 0 || now - polledAt >= pollMs) {
      polledAt = now
      if (await leadership.isWanted()) return false
      tip = await rpc.call<number>('getSlot', [{ commitment }])
      status.tipSlot = tip
    }
    const seen = await engine.catchUp({
      minContextSlot: Math.max(tip ?? 0, announcedSlot),
      onBacklog: (count) => {
        if (status.phase !== 'live') status.phase = 'backfilling'
        if (count > 1000) options.logger.info({ transactions: count }, 'catching up with the ledger')
      },
    })
    awaited.remove(seen)
    await fetchOverdue()
    status.phase = 'live'
    if (tip !== undefined) cover(context, tip)
    if (now - verifiedAt >= (options.verifyMs ?? 2_000)) {
      verifiedAt = now
      await verify()
    }
    return true
  }

  async function fetchOverdue(): Promise<void> {
    const signatures = awaited.overdue()
    if (signatures.length === 0) return
    const { value } = await rpc.call<{ value: ({ slot: number; err: unknown } | null)[] }>(
      'getSignatureStatuses',
      [signatures.slice(0, 256), { searchTransactionHistory: true }],
    )
    const infos = signatures.flatMap((signature, i) => {
      const found = value[i] ?? null
      return found === null ? [] : [{ signature, slot: found.slot, err: found.err }]
    })
    await engine.ingest(infos)
    awaited.remove(infos.map((info) => info.signature))
  }

  async function verify(): Promise<void> {
    const report = await verifyFinality(engine)
    status.counters.late += report.late
    status.counters.orphaned += report.orphaned
    if (report.orphaned > 0)
      options.logger.warn({ transactions: report.orphaned }, 'a fork took transactions back')
    const letters = await db()
      .selectFrom('dead_letters')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    status.deadLetters = letters.count
  }

  const pollMs = options.pollMs ?? 1_000
  let backoff = 100
  try {
    while (!signal.aborted) {
      let wait = pollMs
      try {
        if (leadership.isLost) throw new LeadershipLostError('the lock was lost with its connection')
        if (!(await pass())) {
          options.logger.info('another process asked for the indexer lock, standing by')
          return
        }
        backoff = 100
        if (awaited.size > 0) wait = AWAITED_POLL_MS
        if (context.waiters.size > 0) wait = WAITER_POLL_MS
      } catch (error) {
        if (signal.aborted || leadership.isLost || error instanceof LeadershipLostError) throw error
        status.counters.failures += 1
        options.logger.warn({ error, retryMs: backoff }, 'reading the ledger failed and is tried again')
        // A fork may have taken the announced slot away.
        announcedSlot = 0
        wait = backoff
        backoff = Math.min(backoff * 2, MAX_BACKOFF_MS)
      }
      await wakeUp.sleep(wait)
    }
  } finally {
    subscription?.close()
  }
}

function cover(context: IndexerContext, slot: number): void {
  context.status.cursorSlot = Math.max(slot, context.status.cursorSlot)
  for (const waiter of context.waiters) {
    if (waiter.slot > slot) continue
    context.waiters.delete(waiter)
    waiter.resolve()
  }
}
