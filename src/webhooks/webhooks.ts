import { randomBytes, randomUUID } from 'node:crypto'
import type { Pubkey } from '@agent-registry/solana'
import type { EntityManager } from '../db/orm-types.ts'
import type { ConnectionInput } from '../domain/connection.ts'
import type { PageInput } from '../domain/page.ts'
import type { Clock } from '../platform/clock.ts'
import { type Caller, pingWebhook, recoverDeliveries, type RecoverInput, resendDelivery } from './requests.ts'
import { findDelivery, listDeliveries, listDeliveriesConnection, readDelivery } from './deliveries.ts'
import type { SecretBox } from './secret-box.ts'
import {
  type CreateInput,
  createSubscription,
  deleteSubscription,
  findOwn,
  findSubscriptions,
  getOwn,
  listSubscriptions,
  rotateSecret,
  type UpdateInput,
  updateSubscription,
} from './subscriptions.ts'
import type { ReceiverProblem } from './subscription-input.ts'

export interface WebhookServiceOptions {
  readonly em: EntityManager
  readonly clock: Clock
  readonly secretBox: SecretBox
  readonly receiverProblem: ReceiverProblem
  /** New webhooks of a client network in 24 hours. */
  readonly dailyPerNetwork: number
  /** Pings, resends and recovered deliveries per minute. Null for no limit. */
  readonly sendLimit: number | null
}

export type WebhookService = ReturnType<typeof createWebhookService>

/**
 * The operations of a wallet on its webhooks. The files of `subscriptions/` and `deliveries/`
 * document their errors. Each operation on a webhook throws WEBHOOK_NOT_FOUND if the wallet does
 * not own it.
 */
export function createWebhookService(options: WebhookServiceOptions) {
  const { em } = options
  const kysely = em.getKysely()
  const dependencies = { ...options, kysely, newId: randomUUID, random: randomBytes }

  /** Checks that the wallet owns the webhook before it runs an operation. */
  const owned =
    <Args extends unknown[], Result>(run: (id: string, ...args: Args) => Promise<Result>) =>
    async (wallet: Pubkey, id: string, ...args: Args): Promise<Result> => {
      await getOwn(em.fork(), wallet, id)
      return run(id, ...args)
    }

  /** The same for operations that are charged to the caller. */
  const ordered =
    <Args extends unknown[], Result>(run: (id: string, caller: Caller, ...args: Args) => Promise<Result>) =>
    async (caller: Caller, id: string, ...args: Args): Promise<Result> => {
      await getOwn(em.fork(), caller.wallet, id)
      return run(id, caller, ...args)
    }

  return {
    create: (wallet: Pubkey, clientIp: string, input: CreateInput) =>
      createSubscription(wallet, clientIp, input, dependencies),
    list: (wallet: Pubkey) => listSubscriptions(em, wallet),
    get: (wallet: Pubkey, id: string) => getOwn(em.fork(), wallet, id),
    update: (wallet: Pubkey, id: string, input: UpdateInput) =>
      updateSubscription(wallet, id, input, dependencies),
    delete: (wallet: Pubkey, id: string) => deleteSubscription(em, wallet, id),
    rotateSecret: (wallet: Pubkey, id: string) => rotateSecret(wallet, id, dependencies),
    listDeliveries: owned((id, page: PageInput) => listDeliveries(kysely, id, page)),
    listDeliveriesConnection: owned((id, input: ConnectionInput) =>
      listDeliveriesConnection(kysely, id, input),
    ),
    /** A webhook or a delivery of the wallet. Null if there is none with this id. */
    find: async (wallet: Pubkey, id: string) =>
      (await findOwn(em.fork(), wallet, id)) ?? findDelivery(kysely, wallet, id),
    /** Webhooks whose deliveries a caller owns. */
    findAll: (ids: readonly string[]) => findSubscriptions(em.fork(), ids),
    getDelivery: owned((id, deliveryId: string) => readDelivery(kysely, id, deliveryId)),
    ping: ordered((id, caller) => pingWebhook(id, caller, dependencies)),
    resend: ordered((id, caller, deliveryId: string) => resendDelivery(id, caller, deliveryId, dependencies)),
    recover: ordered((id, caller, input: RecoverInput) => recoverDeliveries(id, caller, input, dependencies)),
  }
}
