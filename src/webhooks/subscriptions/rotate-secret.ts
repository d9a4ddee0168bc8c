import { sql } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { SubscriptionDependencies } from './create.ts'
import { found, ownedBy } from './find-own.ts'
import { newSecret } from './new-secret.ts'

/** A new secret in place of the old one, at once: every later attempt is signed with it, retries too. Throws WEBHOOK_NOT_FOUND. */
export async function rotateSecret(
  wallet: Pubkey,
  id: string,
  { kysely, secretBox, random }: Pick<SubscriptionDependencies, 'kysely' | 'secretBox' | 'random'>,
): Promise<{ secret: string }> {
  const secret = newSecret(random)
  const rotated = await kysely
    .updateTable('webhook_subscriptions')
    .set({ secret_encrypted: secretBox.seal(id, secret), updated_at: sql`now()` })
    .where(ownedBy(wallet, id))
    .returning('id')
    .execute()
  found(rotated)
  return { secret }
}
