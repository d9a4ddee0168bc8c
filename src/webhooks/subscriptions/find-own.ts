import type { EntityData, InferEntity } from '@mikro-orm/core'
import { raw } from '@mikro-orm/postgresql'
import type { Pubkey } from '@agent-registry/solana'
import { WebhookSubscription } from '../../db/entities/webhooks.ts'
import type { EntityManager } from '../../db/orm-types.ts'
import { DomainError } from '../../domain/errors.ts'
import { isUuid } from '../../domain/uuid.ts'
import { SHOWN, type SubscriptionRow } from './subscription-row.ts'

export type SubscriptionChanges = EntityData<InferEntity<typeof WebhookSubscription>>

/** Throws WEBHOOK_NOT_FOUND if the wallet does not own the webhook, or if it is deleted. */
export async function checkOwn(em: EntityManager, wallet: Pubkey, id: string): Promise<{ url: string }> {
  const own = await em.findOne(WebhookSubscription, ownedBy(wallet, id), { fields: ['url'] })
  if (own === null) throw notFound()
  return own
}

/** A wallet's own webhook. Throws WEBHOOK_NOT_FOUND as `checkOwn` does. */
export async function getOwn(em: EntityManager, wallet: Pubkey, id: string): Promise<SubscriptionRow> {
  const own = await findOwn(em, wallet, id)
  if (own === null) throw notFound()
  return own
}

/** Null if `getOwn` throws. */
export function findOwn(em: EntityManager, wallet: Pubkey, id: string): Promise<SubscriptionRow | null> {
  return em.findOne(WebhookSubscription, ownedBy(wallet, id), { fields: SHOWN })
}

/** Those of these webhooks that are not deleted. */
export function findSubscriptions(em: EntityManager, ids: readonly string[]): Promise<SubscriptionRow[]> {
  return em.find(WebhookSubscription, { id: { $in: [...ids] }, deletedAt: null }, { fields: SHOWN })
}

/** Changes a wallet's own webhook in one statement. Throws WEBHOOK_NOT_FOUND as `checkOwn` does. */
export async function updateOwn(
  em: EntityManager,
  wallet: Pubkey,
  id: string,
  changes: SubscriptionChanges,
): Promise<void> {
  const updated = await em.nativeUpdate(WebhookSubscription, ownedBy(wallet, id), {
    ...changes,
    updatedAt: raw('now()'),
  })
  if (updated === 0) throw notFound()
}

function ownedBy(wallet: Pubkey, id: string) {
  if (!isUuid(id)) throw notFound()
  return { id, wallet, deletedAt: null }
}

const notFound = () => new DomainError('WEBHOOK_NOT_FOUND')
