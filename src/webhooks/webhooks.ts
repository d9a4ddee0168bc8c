import { randomBytes, randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../db/database.ts'
import type { Connection, ConnectionInput } from '../domain/connection.ts'
import type { Page, PageInput } from '../domain/page.ts'
import { isUuid } from '../domain/uuid.ts'
import { DomainError } from '../domain/errors.ts'
import { createDeliveryService } from './deliveries/deliveries.ts'
import type { DeliveryRecord } from './deliveries/delivery-record.ts'
import type { RecoverInput, RecoverResult } from './deliveries/recover-deliveries.ts'
import type { SecretBox } from './secret-box.ts'
import { createSubscription, type CreateInput, type Creation } from './subscriptions/create.ts'
import { deleteSubscription } from './subscriptions/delete.ts'
import { checkOwn } from './subscriptions/find-own.ts'
import { listSubscriptions } from './subscriptions/list.ts'
import type { ReceiverProblem } from './subscriptions/read-input.ts'
import { rotateSecret } from './subscriptions/rotate-secret.ts'
import type { SubscriptionRow } from './subscriptions/subscription-row.ts'
import { type UpdateInput, updateSubscription } from './subscriptions/update.ts'

/**
 * What a wallet may do with its webhooks. Each file of `subscriptions/` and `deliveries/` says which errors it throws; all of them throw
 * WEBHOOK_NOT_FOUND where the webhook is not the wallet's.
 */
export interface WebhookService {
  create(wallet: Pubkey, input: CreateInput): Promise<Creation>
  list(wallet: Pubkey): Promise<SubscriptionRow[]>
  update(wallet: Pubkey, id: string, input: UpdateInput): Promise<SubscriptionRow>
  delete(wallet: Pubkey, id: string): Promise<{ deleted: true }>
  rotateSecret(wallet: Pubkey, id: string): Promise<{ secret: string }>
  deliveries(wallet: Pubkey, id: string, page: PageInput): Promise<Page<DeliveryRecord>>
  walkDeliveries(wallet: Pubkey, id: string, input: ConnectionInput): Promise<Connection<DeliveryRecord>>
  ping(wallet: Pubkey, id: string): Promise<DeliveryRecord>
  resend(wallet: Pubkey, id: string, deliveryId: string): Promise<DeliveryRecord>
  recover(wallet: Pubkey, id: string, input: RecoverInput): Promise<RecoverResult>
}

export interface WebhookServiceOptions {
  readonly kysely: Kysely<Database>
  readonly clock: Clock
  readonly secretBox: SecretBox
  readonly receiverProblem: ReceiverProblem
  readonly newId?: () => string
  readonly random?: (size: number) => Buffer
}

export function createWebhookService(options: WebhookServiceOptions): WebhookService {
  const { kysely, newId = randomUUID, random = randomBytes } = options
  const dependencies = { ...options, newId, random }
  const deliveries = createDeliveryService(dependencies)
  const own = (wallet: Pubkey, id: string): Promise<void> => checkOwn(kysely, wallet, id)
  return {
    create: (wallet, input) => createSubscription(wallet, input, dependencies),
    list: (wallet) => listSubscriptions(kysely, wallet),
    update: (wallet, id, input) => updateSubscription(wallet, id, input, dependencies),
    delete: (wallet, id) => deleteSubscription(kysely, wallet, id),
    rotateSecret: (wallet, id) => rotateSecret(wallet, id, dependencies),
    deliveries: async (wallet, id, page) => {
      await own(wallet, id)
      return deliveries.list(id, page)
    },
    walkDeliveries: async (wallet, id, input) => {
      await own(wallet, id)
      return deliveries.walk(id, input)
    },
    ping: async (wallet, id) => {
      await own(wallet, id)
      return deliveries.ping(id)
    },
    resend: async (wallet, id, deliveryId) => {
      await own(wallet, id)
      if (!isUuid(deliveryId)) throw new DomainError('DELIVERY_NOT_FOUND')
      return deliveries.resend(id, deliveryId)
    },
    recover: async (wallet, id, input) => {
      await own(wallet, id)
      return deliveries.recover(id, input)
    },
  }
}
