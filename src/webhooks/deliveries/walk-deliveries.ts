import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import {
  type Connection,
  type ConnectionInput,
  connectionOf,
  cursorOf,
  firstOf,
  isInteger,
  isText,
  keyAfter,
} from '../../domain/connection.ts'
import { deliveryColumns, type DeliveryRecord } from './delivery-record.ts'

/** Rows carry microseconds, of which a record shows the milliseconds. */
const MICROSECONDS = sql`(extract(epoch from d.created_at) * 1000000)::int8`

/** A webhook's deliveries after a cursor, newest first, in one statement. Throws INVALID_INTEGER and INVALID_CURSOR. */
export async function walkDeliveries(
  kysely: Kysely<Database>,
  subscriptionId: string,
  input: ConnectionInput,
): Promise<Connection<DeliveryRecord>> {
  const first = firstOf(input)
  const key = keyAfter<readonly [number, string]>('deliveries', input, [isInteger, isText])
  const behind =
    key === undefined
      ? sql`true`
      : sql`(d.created_at, d.id) < ('epoch'::timestamptz + ${key[0]}::float8 * interval '1 microsecond', ${key[1]})`
  const { rows } = await sql<DeliveryRecord & { at: number }>`
    select ${deliveryColumns}, ${MICROSECONDS} as at from webhook_deliveries d
    where d.subscription_id = ${subscriptionId} and ${behind}
    order by d.created_at desc, d.id desc limit ${first + 1}`.execute(kysely)
  return connectionOf(rows, first, (row) => cursorOf('deliveries', [row.at, row.id]))
}
