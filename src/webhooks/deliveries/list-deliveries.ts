import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { countRows, type PageRow, readPage } from '../../db/keyset.ts'
import {
  type Connection,
  type ConnectionInput,
  connectionOf,
  cursorOf,
  isInteger,
  isText,
  readSpan,
} from '../../domain/connection.ts'
import { type Page, pageBounds, type PageInput } from '../../domain/page.ts'
import { deliveryColumns, type DeliveryRecord } from './delivery-record.ts'

/**
 * One page of a webhook's delivery log, newest first, and the exact total from the same snapshot.
 */
export async function listDeliveries(
  kysely: Kysely<Database>,
  subscriptionId: string,
  input: PageInput,
): Promise<Page<DeliveryRecord>> {
  const bounds = pageBounds(input)
  const { rows } = await sql<PageRow<DeliveryRecord>>`
    select counted.total, ${deliveryColumns}
    from (select count(*) as total from webhook_deliveries where subscription_id = ${subscriptionId}) as counted
    left join (
      select * from webhook_deliveries where subscription_id = ${subscriptionId}
      order by created_at desc, id desc limit ${bounds.limit} offset ${bounds.offset}
    ) as d on true
    order by d.created_at desc, d.id desc`.execute(kysely)
  return readPage(rows, 'id', bounds)
}

/** Rows have microseconds. The `createdAt` of a record has milliseconds only. */
const MICROSECONDS = sql`(extract(epoch from d.created_at) * 1000000)::int8`

/**
 * A page of deliveries between cursors, newest first. Throws INVALID_INTEGER and INVALID_CURSOR.
 */
export async function listDeliveriesConnection(
  kysely: Kysely<Database>,
  subscriptionId: string,
  input: ConnectionInput,
): Promise<Connection<DeliveryRecord>> {
  const span = readSpan<readonly [number, string]>('deliveries', input, [isInteger, isText])
  const { size, backward, after, before } = span
  const direction = backward ? sql`asc` : sql`desc`
  const key = ([at, id]: readonly [number, string]) =>
    sql`('epoch'::timestamptz + ${at}::float8 * interval '1 microsecond', ${id})`
  const { rows } = await sql<DeliveryRecord & { at: number }>`
    select ${deliveryColumns}, ${MICROSECONDS} as at from webhook_deliveries d
    where d.subscription_id = ${subscriptionId}
      ${after === undefined ? sql`` : sql`and (d.created_at, d.id) < ${key(after)}`}
      ${before === undefined ? sql`` : sql`and (d.created_at, d.id) > ${key(before)}`}
    order by d.created_at ${direction}, d.id ${direction} limit ${size + 1}`.execute(kysely)
  return connectionOf(
    rows,
    span,
    (row) => cursorOf('deliveries', [row.at, row.id]),
    () =>
      countRows(
        kysely,
        sql`select count(*) from webhook_deliveries where subscription_id = ${subscriptionId}`,
      ),
  )
}
