import { type Kysely, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../db/database.ts'
import { sha256 } from '../hash.ts'

/** Which signatures were used, by any process with this database. */
export interface UsedSignatures {
  /** Returns true only for the first use, even if several processes call it at the same time. */
  markUsed(signature: Uint8Array): Promise<boolean>
}

/** Longer than a signature can be valid, even if clocks differ by minutes. */
const RETENTION = sql.lit('15 minutes')
/** Each insert deletes up to this many expired rows, so that the table stays small. */
const DELETED_PER_INSERT = 10
/** Known signatures in memory. Their repeats do not reach the database. */
const CACHED_SIGNATURES = 10_000

export function createUsedSignatures(kysely: Kysely<Database>): UsedSignatures {
  const known = new LRUCache<string, true>({ max: CACHED_SIGNATURES })
  return {
    markUsed: async (signature) => {
      const hash = sha256(signature).toString('base64url')
      if (known.has(hash)) return false
      const { rows } = await sql`
        with old as materialized (
          select hash from used_signatures where used_at < now() - ${RETENTION}::interval
          order by used_at limit ${DELETED_PER_INSERT} for update skip locked
        ),
        removed as (delete from used_signatures using old where used_signatures.hash = old.hash)
        insert into used_signatures (hash) values (${hash}) on conflict (hash) do nothing returning hash
      `.execute(kysely)
      known.set(hash, true)
      return rows.length === 1
    },
  }
}
