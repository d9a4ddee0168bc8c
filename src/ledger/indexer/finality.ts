import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/tables.ts'
import { cancelDeliveries } from './enqueue-deliveries.ts'

type Db = Kysely<Database>

export async function markFinalized(db: Db, signatures: readonly string[]): Promise<void> {
  if (signatures.length === 0) return
  await sql`
    update ledger_events set finality = 'finalized'
    where signature = any(${signatures}) and finality = 'confirmed'`.execute(db)
  await sql`
    update ledger_transactions set finality = 'finalized', accounts = '{}'
    where signature = any(${signatures}) and finality = 'confirmed'`.execute(db)
}

/** Takes back what a fork undid: events are marked, their history and what was enqueued for receivers withdrawn. */
export async function markOrphaned(db: Db, signatures: readonly string[]): Promise<void> {
  const orphaned = sql`select id from ledger_events where signature = any(${signatures})`
  const columns = sql`event_id, position, agent_pda, event_type, old_value, new_value, delta, occurred_at`
  await sql`
    with gone as (delete from agent_history where event_id in (${orphaned}) returning *)
    insert into orphaned_history (${columns}) select ${columns} from gone on conflict do nothing`.execute(db)
  await sql`
    update outbox_events set cancelled_at = now()
    where event_id in (${orphaned}) and cancelled_at is null`.execute(db)
  await cancelDeliveries(db, signatures)
  await sql`update ledger_events set finality = 'orphaned' where signature = any(${signatures})`.execute(db)
  await sql`delete from dead_letters where signature = any(${signatures})`.execute(db)
  await sql`
    update ledger_transactions set finality = 'orphaned' where signature = any(${signatures})`.execute(db)
}
