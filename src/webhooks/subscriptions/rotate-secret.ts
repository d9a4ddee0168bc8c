import type { Pubkey } from '@agent-registry/solana'
import type { SubscriptionDependencies } from './create.ts'
import { updateOwn } from './find-own.ts'
import { newSecret } from './new-secret.ts'

/**
 * Replaces the secret at once: later attempts, retries included, use it. Throws WEBHOOK_NOT_FOUND.
 */
export async function rotateSecret(
  wallet: Pubkey,
  id: string,
  { em, secretBox, random }: Pick<SubscriptionDependencies, 'em' | 'secretBox' | 'random'>,
): Promise<{ secret: string }> {
  const secret = newSecret(random)
  await updateOwn(em.fork(), wallet, id, { secretEncrypted: secretBox.seal(id, secret) })
  return { secret }
}
