import type { Pubkey } from '@agent-registry/solana'
import { WebhookSubscription } from '../../db/entities/webhooks.ts'
import type { EntityManager } from '../../db/orm-types.ts'
import { clientNetwork } from '../../domain/client-network.ts'
import { optional, pubkeyParameter } from '../../domain/parameters.ts'
import type { SecretBox } from '../secret-box.ts'
import { checkNew } from './check-new.ts'
import { newSecret, type RandomBytes } from './new-secret.ts'
import { type ReceiverProblem, readEventTypes, readUrl, siteOfUrl } from './read-input.ts'

export interface CreateInput {
  /** An https URL. */
  readonly url?: string | null
  readonly eventTypes?: readonly string[] | null
  /** Only events of this agent, which need not exist yet. */
  readonly filterAgentPda?: string | null
}

export interface Creation {
  readonly id: string
  /** Shown only in this response. */
  readonly secret: string
  readonly message: string
}

export interface SubscriptionDependencies {
  readonly em: EntityManager
  readonly secretBox: SecretBox
  readonly receiverProblem: ReceiverProblem
  readonly newId: () => string
  readonly random: RandomBytes
  /** New webhooks of a client network in 24 hours. */
  readonly dailyPerNetwork: number
}

const MESSAGE = 'Store the secret now: it is not shown again. Rotate it if it is lost.'

/**
 * Throws the errors of `readUrl` and `readEventTypes`, INVALID_PUBKEY, TOO_MANY_WEBHOOKS and
 * WEBHOOK_CLIENT_LIMIT.
 */
export async function createSubscription(
  wallet: Pubkey,
  clientIp: string,
  input: CreateInput,
  dependencies: SubscriptionDependencies,
): Promise<Creation> {
  const { em, secretBox, receiverProblem, newId, random, dailyPerNetwork } = dependencies
  const url = readUrl(input.url, receiverProblem)
  const eventTypes = readEventTypes(input.eventTypes)
  const filterAgentPda = optional(pubkeyParameter, 'filterAgentPda', input.filterAgentPda) ?? null
  const network = clientNetwork(clientIp)
  const id = newId()
  const secret = newSecret(random)
  await em.fork().transactional(async (transaction) => {
    await checkNew(transaction.getKysely(), { wallet, network, dailyPerNetwork })
    transaction.create(WebhookSubscription, {
      id,
      wallet,
      network,
      url,
      site: siteOfUrl(url),
      eventTypes,
      filterAgentPda,
      secretEncrypted: secretBox.seal(id, secret),
    })
  })
  return { id, secret, message: MESSAGE }
}
