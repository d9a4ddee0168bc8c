import { type Kysely, sql } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../../db/database.ts'
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
  /** Shown now and never again. */
  readonly secret: string
  readonly message: string
}

export interface SubscriptionDependencies {
  readonly kysely: Kysely<Database>
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
  const { kysely, secretBox, receiverProblem, newId, random } = dependencies
  const url = readUrl(input.url, receiverProblem)
  const eventTypes = readEventTypes(input.eventTypes)
  const filterAgentPda = optional(pubkeyParameter, 'filterAgentPda', input.filterAgentPda) ?? null
  const id = newId()
  const secret = newSecret(random)
  await kysely.transaction().execute(async (transaction) => {
    // One creation of a wallet at a time, on any replica; the count below must be read by a later statement.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks of ${wallet}`}, 0))`.execute(
      transaction,
    )
    const { rows } = await sql`
      insert into webhook_subscriptions (id, wallet, url, event_types, filter_agent_pda, secret_encrypted)
      select ${id}, ${wallet}, ${url}, ${eventTypes}::text[], ${filterAgentPda}, ${secretBox.seal(id, secret)}
      where (select count(*) from webhook_subscriptions where wallet = ${wallet} and deleted_at is null) < ${MAX_PER_WALLET}
      returning id`.execute(transaction)
    if (rows.length === 0) throw new DomainError('TOO_MANY_WEBHOOKS', { max: MAX_PER_WALLET })
  })
  return { id, secret, message: MESSAGE }
}
