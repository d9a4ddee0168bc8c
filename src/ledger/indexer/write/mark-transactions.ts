import { type Kysely, sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { cancelDeliveries } from './deliveries.ts'

type Db = Kysely<Database>

/** Marks transactions that are final in these slots. A row of another slot is of a fork, and stays as it is. */
export async function markFinalized(
  db: Db,
  transactions: readonly { signature: string; slot: number }[],
): Promise<void> {
  if (transactions.length === 0) return
  const signatures = transactions.map((each) => each.signature)
  const slots = transactions.map((each) => each.slot)
  const placed = sql`unnest(${signatures}::text[], ${slots}::bigint[]) as f(signature, slot)`
  await sql`
    update ledger_events e set finality = 'finalized' from ${placed}
    where e.signature = f.signature and e.slot = f.slot and e.finality = 'confirmed'`.execute(db)
  await sql`
    update ledger_transactions t set finality = 'finalized', accounts = '{}' from ${placed}
    where t.signature = f.signature and t.slot = f.slot and t.finality = 'confirmed'`.execute(db)
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
