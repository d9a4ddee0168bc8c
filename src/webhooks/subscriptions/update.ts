import type { Pubkey } from '@agent-registry/solana'
import { WebhookSubscription } from '../../db/entities/webhooks.ts'
import { optional, pubkeyParameter } from '../../domain/parameters.ts'
import { cancelWaiting, HEALTHY } from '../deliveries/cancel-waiting.ts'
import type { SubscriptionDependencies } from './create.ts'
import { checkOwn, type SubscriptionChanges, updateOwn } from './find-own.ts'
import { type ReceiverProblem, readEventTypes, readUrl, siteOfUrl } from './read-input.ts'
import { SHOWN, type SubscriptionRow } from './subscription-row.ts'

/** Absent fields stay as they are; so do `url` and `active` if they are null. */
export interface UpdateInput {
  readonly url?: string | null
  /** Replaces the set. */
  readonly eventTypes?: readonly string[] | null
  /** Null removes the filter. */
  readonly filterAgentPda?: string | null
  readonly active?: boolean | null
}

/**
 * Changes a webhook. Disabling it cancels its waiting deliveries. Throws WEBHOOK_NOT_FOUND, and the
 * errors of `createSubscription` for the given fields.
 */
export async function updateSubscription(
  wallet: Pubkey,
  id: string,
  input: UpdateInput,
  { em, receiverProblem }: Pick<SubscriptionDependencies, 'em' | 'receiverProblem'>,
): Promise<SubscriptionRow> {
  // The owner is checked before the input, so that nobody else learns what is wrong with it.
  await checkOwn(em.fork(), wallet, id)
  const changes = readChanges(input, receiverProblem)
  return em.fork().transactional(async (transaction) => {
    await updateOwn(transaction, wallet, id, changes)
    if (input.active === false) await cancelWaiting(transaction.getKysely(), id)
    return transaction.findOneOrFail(WebhookSubscription, id, { fields: SHOWN })
  })
}

function readChanges(
  { url, eventTypes, filterAgentPda, active }: UpdateInput,
  receiverProblem: ReceiverProblem,
): SubscriptionChanges {
  const newUrl = url === undefined || url === null ? undefined : readUrl(url, receiverProblem)
  return {
    // A new receiver must prove itself fast again.
    ...(newUrl === undefined ? {} : { url: newUrl, site: siteOfUrl(newUrl), responseMs: null }),
    ...(eventTypes === undefined ? {} : { eventTypes: readEventTypes(eventTypes) }),
    ...(filterAgentPda === undefined
      ? {}
      : { filterAgentPda: optional(pubkeyParameter, 'filterAgentPda', filterAgentPda) ?? null }),
    ...(typeof active === 'boolean' ? { active } : {}),
    ...(active === true || newUrl !== undefined ? HEALTHY : {}),
  }
}
