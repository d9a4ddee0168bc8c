import { CompiledQuery, type Kysely } from 'kysely'
import type { Database } from '../database.ts'
import { shareReads } from './share-reads.ts'
import {
  READ_TABLES,
  type ReadTables,
  type Versions,
  type ReadVersions,
  sameVersions,
} from '../../domain/read-versions.ts'

// A server that was restored or promoted may repeat transaction ids, so its start time is included.
const STATEMENT = `
  select table_group as tables,
    extract(epoch from pg_postmaster_start_time()) || ' ' || string_agg(transaction_id::text, ' ' order by id) as version
  from read_versions where table_group = any($1) group by table_group`

/**
 * A read takes less than a millisecond. After this time the server or the pool does not respond.
 */
const READ_TIMEOUT_MS = 2_000

export function createReadVersions(kysely: Kysely<Database>, timeoutMs = READ_TIMEOUT_MS): ReadVersions {
  let latest: Versions | null = null
  const current = shareReads(async () => {
    const { rows } = await kysely.executeQuery<{ tables: ReadTables; version: string }>(
      CompiledQuery.raw(STATEMENT, [READ_TABLES]),
    )
    const found: Versions = Object.fromEntries(rows.map(({ tables, version }) => [tables, version]))
    if (latest === null || !sameVersions(READ_TABLES, latest, found)) latest = found
    return latest
  }, timeoutMs)
  return { latest: () => latest, current }
}
