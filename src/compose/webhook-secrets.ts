import { type Kysely, sql } from 'kysely'
import type { Config, Secrets } from '../platform/config/config.ts'
import type { Database } from '../db/database.ts'
import { loadOrCreateSecretsKey } from '../platform/keys.ts'
import { OperatorError } from '../platform/process/operator-error.ts'
import { createSecretBox, type SecretBox, unknownKey } from '../webhooks/secret-box.ts'

/**
 * Encrypts webhook secrets with WEBHOOK_SECRETS_KEY, or on the localnet with a key in DATA_DIR.
 * Null if no role of this process needs it.
 */
export function webhookSecretBox(config: Config, { webhookSecretsKeys }: Secrets): SecretBox | null {
  const roles = (['api', 'webhooks'] as const).filter((role) => config.roles.has(role))
  if (roles.length === 0) return null
  if (webhookSecretsKeys !== null && webhookSecretsKeys.length > 0) return createSecretBox(webhookSecretsKeys)
  if (config.ledger.rpcUrls === null) return createSecretBox([loadOrCreateSecretsKey(config.dataDir)])
  throw new OperatorError(
    `WEBHOOK_SECRETS_KEY is required for the roles ${roles.join(' and ')} if SOLANA_RPC_URL is set. Create one with \`openssl rand -base64 32\` and use it for every replica`,
  )
}

/** Throws OperatorError if a stored secret is encrypted with a key that is not configured. */
export async function checkStoredSecrets(kysely: Kysely<Database>, box: SecretBox): Promise<void> {
  const { rows } = await sql`
    select 1 from webhook_subscriptions
    where deleted_at is null and substring(secret_encrypted from 1 for 5) <> all(${box.prefixes}::bytea[])
    limit 1`.execute(kysely)
  if (rows.length > 0) throw unknownKey()
}
