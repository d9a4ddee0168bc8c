import { type Kysely, sql } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../../db/database.ts'
import { isUuid } from '../../domain/uuid.ts'
import { DomainError } from '../../domain/errors.ts'

/** Throws WEBHOOK_NOT_FOUND unless it is a wallet's own subscription that is not deleted: somebody else's looks like none. */
export async function checkOwn(kysely: Kysely<Database>, wallet: Pubkey, id: string): Promise<void> {
  const owned = ownedBy(wallet, id)
  found(await kysely.selectFrom('webhook_subscriptions').select('id').where(owned).execute())
}

/** The condition of every statement on one subscription; throws WEBHOOK_NOT_FOUND for what cannot be an id. */
export function ownedBy(wallet: Pubkey, id: string) {
  if (!isUuid(id)) throw new DomainError('WEBHOOK_NOT_FOUND')
  return sql<boolean>`id = ${id} and wallet = ${wallet} and deleted_at is null`
}

/** The one row of a statement on one subscription. */
export function found<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new DomainError('WEBHOOK_NOT_FOUND')
  return row
}
