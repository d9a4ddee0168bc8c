import type { Pubkey } from '@agent-registry/solana'
import { WebhookSubscription } from '../../db/entities/webhooks.ts'
import type { EntityManager } from '../../db/orm-types.ts'
import { SHOWN, type SubscriptionRow } from './subscription-row.ts'

/** A wallet's subscriptions, oldest first; there are never more than `MAX_PER_WALLET`. */
export function listSubscriptions(em: EntityManager, wallet: Pubkey): Promise<SubscriptionRow[]> {
  return em
    .fork()
    .find(
      WebhookSubscription,
      { wallet, deletedAt: null },
      { fields: SHOWN, orderBy: { createdAt: 'asc', id: 'asc' } },
    )
}
