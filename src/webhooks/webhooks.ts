import { randomBytes, randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../db/database.ts'
import type { ConnectionInput } from '../domain/connection.ts'
import type { PageInput } from '../domain/page.ts'
import type { Clock } from '../platform/clock.ts'
import { listDeliveries, listDeliveriesConnection } from './deliveries/list-deliveries.ts'
import { pingWebhook } from './deliveries/ping-webhook.ts'
import { recoverDeliveries, type RecoverInput } from './deliveries/recover-deliveries.ts'
import { resendDelivery } from './deliveries/resend-delivery.ts'
import type { SecretBox } from './secret-box.ts'
import { createSubscription, type CreateInput } from './subscriptions/create.ts'
import { deleteSubscription } from './subscriptions/delete.ts'
import { checkOwn } from './subscriptions/find-own.ts'
import { listSubscriptions } from './subscriptions/list.ts'
import type { ReceiverProblem } from './subscriptions/read-input.ts'
import { rotateSecret } from './subscriptions/rotate-secret.ts'
import { type UpdateInput, updateSubscription } from './subscriptions/update.ts'

export interface WebhookServiceOptions {
  readonly kysely: Kysely<Database>
  readonly clock: Clock
  readonly secretBox: SecretBox
  readonly receiverProblem: ReceiverProblem
}

export type WebhookService = ReturnType<typeof createWebhookService>

/**
 * The operations of a wallet on its webhooks. The files of `subscriptions/` and `deliveries/`
 * document their errors. Each operation on a webhook throws WEBHOOK_NOT_FOUND if the wallet does
 * not own it.
 */
export function createWebhookService(options: WebhookServiceOptions) {
  const { kysely } = options
  const dependencies = { ...options, newId: randomUUID, random: randomBytes }

  /** Checks that the wallet owns the webhook before it runs an operation. */
  const owned =
    <Args extends unknown[], Result>(run: (id: string, ...args: Args) => Promise<Result>) =>
    async (wallet: Pubkey, id: string, ...args: Args): Promise<Result> => {
      await checkOwn(kysely, wallet, id)
      return run(id, ...args)
    }

  return {
    create: (wallet: Pubkey, input: CreateInput) => createSubscription(wallet, input, dependencies),
    list: (wallet: Pubkey) => listSubscriptions(kysely, wallet),
    update: (wallet: Pubkey, id: string, input: UpdateInput) =>
      updateSubscription(wallet, id, input, dependencies),
    delete: (wallet: Pubkey, id: string) => deleteSubscription(kysely, wallet, id),
    rotateSecret: (wallet: Pubkey, id: string) => rotateSecret(wallet, id, dependencies),
    listDeliveries: owned((id, page: PageInput) => listDeliveries(kysely, id, page)),
    listDeliveriesConnection: owned((id, input: ConnectionInput) =>
      listDeliveriesConnection(kysely, id, input),
    ),
    ping: owned((id) => pingWebhook(id, dependencies)),
    resend: owned((id, deliveryId: string) => resendDelivery(kysely, id, deliveryId)),
    recover: owned((id, input: RecoverInput) => recoverDeliveries(id, input, dependencies)),
  }
}
