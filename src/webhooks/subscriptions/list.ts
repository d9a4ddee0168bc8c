import type { Kysely } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../../db/database.ts'
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-row.ts'

/** A wallet's subscriptions, oldest first; there are never more than `MAX_PER_WALLET`. */
export function listSubscriptions(kysely: Kysely<Database>, wallet: Pubkey): Promise<SubscriptionRow[]> {
  return kysely
    .selectFrom('webhook_subscriptions')
    .select(SUBSCRIPTION_COLUMNS)
    .where('wallet', '=', wallet)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .$castTo<SubscriptionRow>()
    .execute()
}
