import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/** Which signatures were used, by any process on this database. */
export interface UsedSignatures {
  /** Whether this is the first use; says so once, whoever asks and however many at once. */
  markUsed(signature: Uint8Array): Promise<boolean>
}

/** Longer than a signature can be valid at clocks that are minutes apart. */
const KEPT = sql.lit('15 minutes')
/** Each use removes up to so many old ones, so that the table stays as small as its recent use. */
const REMOVED_AT_ONCE = 10
/** Repeats that are known here do not reach the database. */
const REMEMBERED = 10_000

export function createUsedSignatures(kysely: Kysely<Database>): UsedSignatures {
  const known = new Set<string>()
  const remember = (hash: string): void => {
    known.add(hash)
    if (known.size <= REMEMBERED) return
    for (const oldest of known) {
      known.delete(oldest)
      break
    }
  }

  return {
    markUsed: async (signature) => {
      const hash = createHash('sha256').update(signature).digest('base64url')
      if (known.has(hash)) return false
      const { rows } = await sql`
        with old as materialized (
          select hash from used_signatures where used_at < now() - ${KEPT}::interval
          order by used_at limit ${REMOVED_AT_ONCE} for update skip locked
        ),
        removed as (delete from used_signatures using old where used_signatures.hash = old.hash)
        insert into used_signatures (hash) values (${hash}) on conflict (hash) do nothing returning hash
      `.execute(kysely)
      remember(hash)
      return rows.length === 1
    },
  }
}
