import { type Kysely, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../db/database.ts'
import { sha256 } from '../hash.ts'

/** From which client network each signature was used first, in any process with this database. */
export interface SignatureNetworks {
  /**
   * Binds a new signature to the network. Returns whether it is bound to this one. Of several
   * networks that use a signature at the same time, one gets true.
   */
  bind(signature: Uint8Array, network: string): Promise<boolean>
}

/** Longer than a signature can be valid, even if clocks differ by minutes. */
const RETENTION = sql.lit('15 minutes')
/** Each statement deletes up to this many expired rows, so that the table stays small. */
const DELETED_PER_INSERT = 10
/** First uses in memory. Repeats do not reach the database, also while the first use is stored. */
const CACHED_SIGNATURES = 10_000

/** Null for a signature that a process of an older version accepted: it could be used once. */
interface FirstUse {
  network: string | null
}

export function createSignatureNetworks(kysely: Kysely<Database>): SignatureNetworks {
  const firstUses = new LRUCache<string, FirstUse, string>({
    max: CACHED_SIGNATURES,
    fetchMethod: (hash, _, { context }) => findOrStore(kysely, hash, context),
  })
  return {
    bind: async (signature, network) => {
      const hash = sha256(signature).toString('base64url')
      const firstUse = await firstUses.fetch(hash, { context: network })
      return firstUse?.network === network
    },
  }
}

async function findOrStore(
  kysely: Kysely<Database>,
  hash: string,
  network: string,
): Promise<FirstUse | undefined> {
  // The update changes nothing. It returns the row of the first use, also if that commits now.
  const { rows } = await sql<FirstUse>`
    with old as materialized (
      select hash from used_signatures where used_at < now() - ${RETENTION}::interval
      order by used_at limit ${DELETED_PER_INSERT} for update skip locked
    ),
    removed as (delete from used_signatures using old where used_signatures.hash = old.hash)
    insert into used_signatures as used (hash, client_network) values (${hash}, ${network})
    on conflict (hash) do update set client_network = used.client_network
    returning client_network as network
  `.execute(kysely)
  return rows[0]
}
