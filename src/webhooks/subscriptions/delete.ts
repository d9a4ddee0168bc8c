import { raw } from '@mikro-orm/postgresql'
import type { Pubkey } from '@agent-registry/solana'
import type { EntityManager } from '../../db/orm-types.ts'
import { cancelWaiting } from '../deliveries/cancel-waiting.ts'
import { updateOwn } from './find-own.ts'

/** Deletes a webhook. Its row stays as long as its delivery log. Throws WEBHOOK_NOT_FOUND. */
export async function deleteSubscription(
  em: EntityManager,
  wallet: Pubkey,
  id: string,
): Promise<{ deleted: true }> {
  await em.fork().transactional(async (transaction) => {
    await updateOwn(transaction, wallet, id, { active: false, deletedAt: raw('now()') })
    await cancelWaiting(transaction.getKysely(), id)
  })
  return { deleted: true }
}
