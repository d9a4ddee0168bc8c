import type { Pubkey } from '@agent-registry/solana'
import { WebhookSubscription } from '../../db/entities/webhooks.ts'
import { optional, pubkeyParameter } from '../../domain/parameters.ts'
import { cancelBacklog, cancelUnfinished, cancelWaiting, HEALTHY } from '../deliveries/cancel-waiting.ts'
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
 * Changes a webhook. Disabling it and a new URL cancel its waiting deliveries: nobody can collect
 * deliveries and send them to another receiver at once. Throws WEBHOOK_NOT_FOUND, and the errors of
 * `createSubscription` for the given fields.
 */
export async function updateSubscription(
  wallet: Pubkey,
  id: string,
  input: UpdateInput,
  { em, receiverProblem }: Pick<SubscriptionDependencies, 'em' | 'receiverProblem'>,
): Promise<SubscriptionRow> {
  // The owner is checked before the input, so that nobody else learns what is wrong with it.
  const { url } = await checkOwn(em.fork(), wallet, id)
  const changes = readChanges(input, url, receiverProblem)
  const isNewUrl = changes.url !== undefined
  if (isNewUrl) await cancelBacklog(em.getKysely(), id)
  return em.fork().transactional(async (transaction) => {
    if (isNewUrl) await cancelUnfinished(transaction.getKysely(), id)
    await updateOwn(transaction, wallet, id, changes)
    if (input.active === false) await cancelWaiting(transaction.getKysely(), id)
    return transaction.findOneOrFail(WebhookSubscription, id, { fields: SHOWN })
  })
}

function readChanges(
  { url, eventTypes, filterAgentPda, active }: UpdateInput,
  currentUrl: string,
  receiverProblem: ReceiverProblem,
): SubscriptionChanges {
  const givenUrl = url === undefined || url === null ? currentUrl : readUrl(url, receiverProblem)
  const newUrl = givenUrl === currentUrl ? undefined : givenUrl
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
