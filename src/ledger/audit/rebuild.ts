import { type Kysely, sql } from 'kysely'
import { withAdvisoryLock } from '../../db/advisory-lock.ts'
import type { Database } from '../../db/database.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { ACCOUNT_TABLES } from '../decode/decode-account.ts'
import { createCatchUp, sweepAccounts } from '../indexer/catch-up.ts'
import { IndexerEngine } from '../indexer/engine.ts'
import { markFilled } from '../indexer/filled-tables.ts'
import { NonFinalAccounts, openLedger, START_OF_LEDGER } from '../indexer/position.ts'
import { retryingRpc } from '../rpc/ledger-rpc.ts'
import type { LedgerScanOptions } from './findings.ts'
import type { EventSink } from '../indexer/write/write-events.ts'

export interface RebuildReport {
  transactions: number
  events: number
}

export interface RebuildOptions extends LedgerScanOptions {
  sink: EventSink
  /** Deletes finalized transactions that no node has any more. */
  allowLoss?: boolean
}

/** Tables that are emptied in addition to the account tables. */
const EVENT_TABLES = [
  'agent_history',
  'ledger_events',
  'ledger_transactions',
  'dead_letters',
  'closed_accounts',
] as const

/**
 * Empties the projections and fills them from the ledger in one transaction: readers see the old
 * tables until it commits, and an error changes nothing. A running indexer waits until then.
 */
export async function rebuild(options: RebuildOptions): Promise<RebuildReport> {
  const { orm, programId, commitment = 'confirmed', batchSize = 100, inFlight = 12, onProgress } = options
  const { signal } = new AbortController()
  const rpc = retryingRpc(options.rpc, { signal, maxAttempts: 12 })
  return withAdvisoryLock(orm, 'indexer', async () => {
    const ledger = await openLedger(orm.em.fork().getKysely(), rpc, programId)
    const report = { transactions: 0, events: 0 }
    let total = 0
    await orm.em.fork().transactional(async (em) => {
      const db: Kysely<Database> = em.getKysely()
      await sql`set local statement_timeout = 0`.execute(db)
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(db)
      // A card check that finished meanwhile would update neither the old row nor the new one.
      await sql`lock table agent_card_checks in share mode`.execute(db)
      await rememberEvents(db)
      await emptyTables(db)
      const engine = new IndexerEngine({
        ...ledger,
        position: START_OF_LEDGER,
        needsSweep: true,
        nonFinalAccounts: new NonFinalAccounts(),
        rpc,
        programId,
        commitment,
        signal,
        batchSize,
        inFlight,
        // A failed COPY would abort the transaction.
        useCopy: false,
        sink: options.sink,
        db: () => db,
        transaction: (work) => work(db),
        onWritten: (rows) => {
          report.transactions += rows.ledger_transactions.length
          report.events += rows.ledger_events.length
          onProgress?.({ stage: 'transactions', done: report.transactions, total })
        },
      })
      await sweepAccounts(engine, (done, accounts) =>
        onProgress?.({ stage: 'accounts', done, total: accounts }),
      )
      await createCatchUp(engine)({ onListed: (count) => (total = count) })
      if (engine.needsSweep) await sweepAccounts(engine)
      if (options.allowLoss !== true) await assertNoLoss(db)
      await cancelRemovedEvents(db, options.sink)
      await markFilled(db, ledger.epoch)
    })
    return report
  })
}

async function emptyTables(db: Kysely<Database>): Promise<void> {
  // Keeps the results of card checks, from which the new rows get them.
  await sql`
    insert into agent_card_checks (agent_pda, card_hash_mismatch, checked_at)
    select pda, card_hash_mismatch, now() from agents where card_hash_mismatch
    on conflict (agent_pda) do nothing`.execute(db)
  for (const table of [...EVENT_TABLES, ...ACCOUNT_TABLES])
    await sql`delete from ${sql.table(table)}`.execute(db)
}

/** Copies rows into temporary tables, to compare them at the end. */
async function rememberEvents(db: Kysely<Database>): Promise<void> {
  await sql`
    create temporary table finalized_before on commit drop as
    select signature from ledger_transactions where finality = 'finalized'`.execute(db)
  await sql`
    create temporary table confirmed_before on commit drop as
    select id from ledger_events where finality = 'confirmed'`.execute(db)
}

/**
 * The outbox keeps its events, so that nothing is sent twice. Those that a fork has removed are
 * cancelled here, because no finality check finds an event that is in no table.
 */
async function cancelRemovedEvents(db: Kysely<Database>, sink: EventSink): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    update outbox_events o set cancelled_at = now()
    where o.cancelled_at is null and o.event_id in (
      select b.id from confirmed_before b where not exists (select from ledger_events e where e.id = b.id))
    returning o.id`.execute(db)
  const removed = rows.map((row) => row.id)
  if (removed.length > 0) await sink.removed(db, removed)
}

async function assertNoLoss(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ lost: number; example: string }>`
    select count(*) as lost, min(b.signature) as example from finalized_before b
    where not exists (select from ledger_transactions t where t.signature = b.signature)`.execute(db)
  for (const { lost, example } of rows)
    if (lost > 0)
      throw new OperatorError(
        `The ledger nodes do not have ${lost} finalized transactions that the tables contain, such as ${example}. Nothing was changed. ` +
          'Add a node with a longer history to SOLANA_RPC_URL, or pass --allow-loss to rebuild without them.',
      )
}
