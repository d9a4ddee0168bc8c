import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../db/database.ts'
import type { Connection, ConnectionInput } from '../../domain/connection.ts'
import type { Page, PageInput } from '../../domain/page.ts'
import type { DeliveryRecord } from './delivery-record.ts'
import { listDeliveries } from './list-deliveries.ts'
import { pingWebhook } from './ping-webhook.ts'
import { recoverDeliveries, type RecoverInput, type RecoverResult } from './recover-deliveries.ts'
import { walkDeliveries } from './walk-deliveries.ts'
import { resendDelivery } from './resend-delivery.ts'

/** What the owner of a webhook may see and ask of its deliveries. Who calls has made sure that it is the owner's. */
export interface DeliveryService {
  list(subscriptionId: string, page: PageInput): Promise<Page<DeliveryRecord>>
  walk(subscriptionId: string, input: ConnectionInput): Promise<Connection<DeliveryRecord>>
  resend(subscriptionId: string, deliveryId: string): Promise<DeliveryRecord>
  recover(subscriptionId: string, input: RecoverInput): Promise<RecoverResult>
  ping(subscriptionId: string): Promise<DeliveryRecord>
}

export function createDeliveryService(options: {
  kysely: Kysely<Database>
  clock: Clock
  newId?: () => string
}): DeliveryService {
  const { kysely, clock, newId = randomUUID } = options
  return {
    list: (subscriptionId, page) => listDeliveries(kysely, subscriptionId, page),
    walk: (subscriptionId, input) => walkDeliveries(kysely, subscriptionId, input),
    resend: (subscriptionId, deliveryId) => resendDelivery(kysely, subscriptionId, deliveryId),
    recover: (subscriptionId, input) => recoverDeliveries({ kysely, clock }, subscriptionId, input),
    ping: (subscriptionId) => pingWebhook({ kysely, clock, newId }, subscriptionId),
  }
}
