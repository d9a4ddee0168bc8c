import { type Kysely, sql } from 'kysely'
import { type PageRow, readPage } from '../../db/read-page.ts'
import type { Database } from '../../db/database.ts'
import { type Page, pageBounds, type PageInput } from '../../domain/page.ts'
import { deliveryColumns, type DeliveryRecord } from './delivery-record.ts'

/** The delivery log of a webhook, newest first: one page and the exact total, of one moment. */
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
