import { type Kysely, sql } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../../db/database.ts'
import { cancelWaiting } from '../deliveries/cancel-waiting.ts'
import { found, ownedBy } from './find-own.ts'

/** Deletes a subscription for its owner; the row stays as long as the log of what was sent. Throws WEBHOOK_NOT_FOUND. */
export async function deleteSubscription(
  kysely: Kysely<Database>,
  wallet: Pubkey,
  id: string,
): Promise<{ deleted: true }> {
  const owned = ownedBy(wallet, id)
  await kysely.transaction().execute(async (transaction) => {
    const deleted = await transaction
      .updateTable('webhook_subscriptions')
      .set({ deleted_at: sql`now()`, updated_at: sql`now()`, active: false })
      .where(owned)
      .returning('id')
      .execute()
    found(deleted)
    await cancelWaiting(transaction, id)
  })
  return { deleted: true }
}
