import { sql, type Updateable } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../../db/database.ts'
import { optional, pubkeyParameter } from '../../domain/parameters.ts'
import { cancelWaiting, HEALTHY } from '../deliveries/cancel-waiting.ts'
import type { SubscriptionDependencies } from './create.ts'
import { checkOwn, found, ownedBy } from './find-own.ts'
import { type ReceiverProblem, readEventTypes, readUrl } from './read-input.ts'
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-row.ts'

/** What is absent stays; so do `url` and `active` that are null. */
export interface UpdateInput {
  readonly url?: string | null
  /** Replaces the set. */
  readonly eventTypes?: readonly string[] | null
  /** Null takes the filter away. */
  readonly filterAgentPda?: string | null
  readonly active?: boolean | null
}

/**
 * Changes a subscription; switching it off cancels what waits to be delivered. Throws WEBHOOK_NOT_FOUND, and the errors of `createSubscription` for
 * what is given.
 */
export async function updateSubscription(
  wallet: Pubkey,
  id: string,
  input: UpdateInput,
  { kysely, receiverProblem }: Pick<SubscriptionDependencies, 'kysely' | 'receiverProblem'>,
): Promise<SubscriptionRow> {
  const owned = ownedBy(wallet, id)
  // Before the input is looked at: what is wrong with it is for the owner to know.
  await checkOwn(kysely, wallet, id)
  const changes = readChanges(input, receiverProblem)
  return kysely.transaction().execute(async (transaction) => {
    const subscription = found(
      await transaction
        .updateTable('webhook_subscriptions')
        .set({ ...changes, updated_at: sql`now()` })
        .where(owned)
        .returning(SUBSCRIPTION_COLUMNS)
        .$castTo<SubscriptionRow>()
        .execute(),
    )
    if (input.active === false) await cancelWaiting(transaction, id)
    return subscription
  })
}

function readChanges(
  { url, eventTypes, filterAgentPda, active }: UpdateInput,
  receiverProblem: ReceiverProblem,
): Updateable<Database['webhook_subscriptions']> {
  const newUrl = url === undefined || url === null ? undefined : readUrl(url, receiverProblem)
  return {
    ...(newUrl === undefined ? {} : { url: newUrl }),
    ...(eventTypes === undefined ? {} : { event_types: readEventTypes(eventTypes) }),
    ...(filterAgentPda === undefined
      ? {}
      : { filter_agent_pda: optional(pubkeyParameter, 'filterAgentPda', filterAgentPda) ?? null }),
    ...(typeof active === 'boolean' ? { active } : {}),
    ...(active === true || newUrl !== undefined ? HEALTHY : {}),
  }
}
