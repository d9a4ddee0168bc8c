import { randomUUID } from 'node:crypto'
import type { Pubkey } from '@agent-registry/solana'
import type { EntityManager } from '../db/orm-types.ts'
import type { ConnectionInput } from '../domain/connection.ts'
import type { PageInput } from '../domain/page.ts'
import type { Clock } from '../platform/clock.ts'
import { findDelivery, listDeliveries, listDeliveriesConnection, readDelivery } from './deliveries.ts'
import { type Caller, pingWebhook, recoverDeliveries, type RecoverInput, resendDelivery } from './requests.ts'
import {
  type CreateInput,
  createSubscription,
  deleteSubscription,
  findOwn,
  findSubscriptions,
  getOwn,
  listSubscriptions,
  rotateSecret,
  type SubscriptionOptions,
  type UpdateInput,
  updateSubscription,
} from './subscriptions.ts'

export interface WebhookServiceOptions extends SubscriptionOptions {
  readonly em: EntityManager
  readonly clock: Clock
  /** Pings, resends and recovered deliveries per minute. Null for no limit. */
  readonly sendLimit: number | null
}

export type WebhookService = ReturnType<typeof createWebhookService>

/**
 * The operations of a wallet on its webhooks. The functions that they call document their errors.
 * Each operation on a webhook throws WEBHOOK_NOT_FOUND if the wallet does not own it.
 */
export function createWebhookService(options: WebhookServiceOptions) {
  const { em } = options
  const kysely = em.getKysely()
  const sending = { ...options, kysely, newId: randomUUID }
  const ownId = async (wallet: Pubkey, id: string): Promise<string> =>
    (await getOwn(em.fork(), wallet, id)).id
  return {
    create: (wallet: Pubkey, clientIp: string, input: CreateInput) =>
      createSubscription(em.fork(), wallet, clientIp, input, options),
    list: (wallet: Pubkey) => listSubscriptions(em.fork(), wallet),
    get: (wallet: Pubkey, id: string) => getOwn(em.fork(), wallet, id),
    update: (wallet: Pubkey, id: string, input: UpdateInput) =>
      updateSubscription(em.fork(), wallet, id, input, options),
    delete: (wallet: Pubkey, id: string) => deleteSubscription(em.fork(), wallet, id),
    rotateSecret: (wallet: Pubkey, id: string) => rotateSecret(em.fork(), wallet, id, options),
    /** A webhook or a delivery of the wallet. Null if there is none with this id. */
    find: async (wallet: Pubkey, id: string) =>
      (await findOwn(em.fork(), wallet, id)) ?? findDelivery(kysely, wallet, id),
    /** Webhooks whose deliveries a caller owns. */
    findAll: (ids: readonly string[]) => findSubscriptions(em.fork(), ids),
    listDeliveries: async (wallet: Pubkey, id: string, page: PageInput) =>
      listDeliveries(kysely, await ownId(wallet, id), page),
    listDeliveriesConnection: async (wallet: Pubkey, id: string, page: ConnectionInput) =>
      listDeliveriesConnection(kysely, await ownId(wallet, id), page),
    getDelivery: async (wallet: Pubkey, id: string, deliveryId: string) =>
      readDelivery(kysely, await ownId(wallet, id), deliveryId),
    ping: async (caller: Caller, id: string) => pingWebhook(await ownId(caller.wallet, id), caller, sending),
    resend: async (caller: Caller, id: string, deliveryId: string) =>
      resendDelivery(await ownId(caller.wallet, id), caller, deliveryId, sending),
    recover: async (caller: Caller, id: string, input: RecoverInput) =>
      recoverDeliveries(await ownId(caller.wallet, id), caller, input, sending),
  }
}
