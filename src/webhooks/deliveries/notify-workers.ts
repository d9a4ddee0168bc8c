import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { DELIVERIES_CHANNEL } from '../../domain/webhook-delivery.ts'

/** Wakes the workers of all processes when the transaction commits, because a delivery is due. */
export async function notifyWorkers(db: Kysely<Database>): Promise<void> {
  await sql`select pg_notify(${DELIVERIES_CHANNEL}, '')`.execute(db)
}
