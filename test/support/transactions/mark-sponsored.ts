import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../../../src/db/database.ts'

/** As if the service had sponsored the wallet's registration two days ago, at no cost. */
export async function markSponsored(kysely: Kysely<Database>, wallet: Pubkey): Promise<void> {
  const hash = `code of ${wallet}`
  await kysely.insertInto('invite_codes').values({ hash, max_uses: 1 }).execute()
  await kysely
    .insertInto('sponsorships')
    .values({
      id: randomUUID(),
      kind: 'registration',
      wallet,
      code_hash: hash,
      state: 'confirmed',
      reserved_lamports: 0,
      spent_lamports: 0,
      created_at: new Date(Date.now() - 2 * 86_400_000).toISOString(),
    })
    .execute()
}
