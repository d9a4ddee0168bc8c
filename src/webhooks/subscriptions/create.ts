import { sql } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import { WebhookSubscription } from '../../db/entities/webhooks.ts'
import type { EntityManager } from '../../db/orm-types.ts'
import { optional, pubkeyParameter } from '../../domain/parameters.ts'
import { DomainError } from '../../domain/errors.ts'
import type { SecretBox } from '../secret-box.ts'
import { newSecret, type RandomBytes } from './new-secret.ts'
import { type ReceiverProblem, readEventTypes, readUrl } from './read-input.ts'

export const MAX_PER_WALLET = 20

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
}

const MESSAGE = 'Store the secret now: it is not shown again. Rotate it if it is lost.'

/** Throws the errors of `readUrl` and `readEventTypes`, INVALID_PUBKEY and TOO_MANY_WEBHOOKS. */
export async function createSubscription(
  wallet: Pubkey,
  input: CreateInput,
  dependencies: SubscriptionDependencies,
): Promise<Creation> {
  const { em, secretBox, receiverProblem, newId, random } = dependencies
  const url = readUrl(input.url, receiverProblem)
  const eventTypes = readEventTypes(input.eventTypes)
  const filterAgentPda = optional(pubkeyParameter, 'filterAgentPda', input.filterAgentPda) ?? null
  const id = newId()
  const secret = newSecret(random)
  await em.fork().transactional(async (transaction) => {
    // One creation per wallet at a time, on all replicas. The count is a later statement, so that
    // it sees what the previous holder of the lock committed.
    const lockName = `webhooks of ${wallet}`
    await sql`select pg_advisory_xact_lock(hashtextextended(${lockName}, 0))`.execute(transaction.getKysely())
    const existing = await transaction.count(WebhookSubscription, { wallet, deletedAt: null })
    if (existing >= MAX_PER_WALLET) throw new DomainError('TOO_MANY_WEBHOOKS', { max: MAX_PER_WALLET })
    const secretEncrypted = secretBox.seal(id, secret)
    transaction.create(WebhookSubscription, { id, wallet, url, eventTypes, filterAgentPda, secretEncrypted })
  })
  return { id, secret, message: MESSAGE }
}
