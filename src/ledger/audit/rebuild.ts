import { type Kysely, sql } from 'kysely'
import { withAdvisoryLock } from '../../db/advisory-lock.ts'
import type { Database } from '../../db/database.ts'
import { IndexerEngine } from '../indexer/engine.ts'
import { cancelDeliveriesOf } from '../indexer/write/deliveries.ts'
import { openLedger } from '../indexer/open-ledger.ts'
import { sweepAccounts } from '../indexer/sweep-accounts.ts'
import { PROJECTIONS } from '../decode/projections.ts'
import { UnsettledReads } from '../indexer/finality/non-final-accounts.ts'
import { retryingRpc } from '../rpc/retrying-rpc.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import type { LedgerReadingOptions } from './options.ts'

export interface RebuildReport {
  transactions: number
  events: number
}

export interface RebuildOptions extends LedgerReadingOptions {
  /** Finalized transactions that no node shows any more may go from the tables. */
  allowLoss?: boolean
}

/** Tables that the ledger determines, besides the accounts' own. Children come before their parents. */
const EVENT_TABLES = [
  'agent_history',
  'ledger_events',
  'ledger_transactions',
  'dead_letters',
  'closed_accounts',
] as const

/**
 * Empties the projections and fills them from the ledger in one transaction: readers see the old tables until the new
 * ones are complete, and a failure leaves the old ones. A running indexer gives up its lock and waits meanwhile.
 * What was enqueued for receivers stays, so nothing is sent twice, unless a fork has taken its event back; verdicts on agent cards stay too.
 * Fails where finalized transactions would be lost, unless `allowLoss`.
 */
export async function rebuild(options: RebuildOptions): Promise<RebuildReport> {
  const { orm, programId, commitment = 'confirmed' } = options
  const signal = options.signal ?? new AbortController().signal
  const rpc = retryingRpc(options.rpc, { signal, maxAttempts: 12 })
  return withAdvisoryLock(orm, 'indexer', async () => {
    const ledger = await openLedger(orm.em.fork().getKysely(), rpc, programId)
    const report = { transactions: 0, events: 0 }
    let total = 0
    await orm.em.fork().transactional(async (em) => {
      const db = em.getKysely()
      await sql`set local statement_timeout = 0`.execute(db)
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(db)
      // A verdict given meanwhile would reach neither the old row nor the new one.
      await sql`lock table agent_card_checks in share mode`.execute(db)
      await remember(db)
      await empty(db)
      const engine = new IndexerEngine({
        ...ledger,
        position: {
          cursor: { slot: 0, signature: null },
          finalizedSlot: 0,
          finalizedSignature: null,
        },
        sweepDue: true,
        unsettled: new UnsettledReads(),
        rpc,
        programId,
        commitment,
        signal,
        batchSize: options.batchSize ?? 100,
        inFlight: options.inFlight ?? 12,
        copies: false,
        db: () => db,
        transaction: (work) => work(db),
        onWritten: (written) => {
          report.transactions += written.transactions
          report.events += written.events
          options.onProgress?.({ stage: 'transactions', done: report.transactions, total })
        },
      })
      await sweepAccounts(engine, (done, of) => options.onProgress?.({ stage: 'accounts', done, total: of }))
      await engine.catchUp({ onBacklog: (count) => (total = count) })
      if (engine.sweepDue) await sweepAccounts(engine)
      if (options.allowLoss !== true) await refuseLoss(db)
      await withdraw(db)
    })
    return report
  })
}

async function empty(db: Kysely<Database>): Promise<void> {
  await sql`
    insert into agent_card_checks (agent_pda, card_hash_mismatch, checked_at)
    select pda, card_hash_mismatch, now() from agents where card_hash_mismatch
    on conflict (agent_pda) do nothing`.execute(db)
  for (const table of [...EVENT_TABLES, ...PROJECTIONS.map((projection) => projection.table)])
    await sql`delete from ${sql.table(table)}`.execute(db)
}

async function remember(db: Kysely<Database>): Promise<void> {
  await sql`
    create temporary table finalized_before on commit drop as
    select signature from ledger_transactions where finality = 'finalized'`.execute(db)
  await sql`
    create temporary table confirmed_before on commit drop as
    select id from ledger_events where finality = 'confirmed'`.execute(db)
}

/** No check of finality finds an event that is in no table, so what was enqueued for it would be sent. */
async function withdraw(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    update outbox_events o set cancelled_at = now()
    where o.cancelled_at is null and o.event_id in (
      select b.id from confirmed_before b where not exists (select from ledger_events e where e.id = b.id))
    returning o.id`.execute(db)
  await cancelDeliveriesOf(
    db,
    rows.map((row) => row.id),
  )
}

async function refuseLoss(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ lost: number; example: string }>`
    select count(*) as lost, min(b.signature) as example from finalized_before b
    where not exists (select from ledger_transactions t where t.signature = b.signature)`.execute(db)
  for (const { lost, example } of rows)
    if (lost > 0)
      throw new OperatorError(
        `The ledger nodes do not serve ${lost} finalized transactions that the tables hold, such as ${example}: nothing was changed. ` +
          'Put a node with a longer history into SOLANA_RPC_URL, or pass --allow-loss to rebuild without them.',
      )
}
