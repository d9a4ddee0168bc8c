import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { DELIVERIES_CHANNEL } from '../../domain/webhook-delivery.ts'

/** Tells the workers of every process, when the transaction commits, that something is due. */
export async function announceDeliveries(db: Kysely<Database>): Promise<void> {
  await sql`select pg_notify(${DELIVERIES_CHANNEL}, '')`.execute(db)
}
