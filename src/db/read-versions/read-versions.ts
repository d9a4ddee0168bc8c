import { CompiledQuery, type Kysely } from 'kysely'
import type { Database } from '../database.ts'
import { shareLooks } from './share-looks.ts'
import {
  READ_TABLES,
  type ReadTables,
  type Versions,
  type ReadVersions,
  sameVersions,
} from '../../domain/read-versions.ts'

// The start of the server is part of it, since one restored from a backup, or promoted in another's place, may use numbers again.
const STATEMENT = `
  select table_group as tables,
    extract(epoch from pg_postmaster_start_time()) || ' ' || string_agg(transaction_id::text, ' ' order by id) as version
  from read_versions where table_group = any($1) group by table_group`

/** A look is a fraction of a millisecond; one that takes this long is on a connection whose server is gone, or the pool is. */
const LOOK_MS = 2_000

export function createReadVersions(kysely: Kysely<Database>, lookMs = LOOK_MS): ReadVersions {
  let latest: Versions | null = null
  const current = shareLooks(async () => {
    const { rows } = await kysely.executeQuery<{ tables: ReadTables; version: string }>(
      CompiledQuery.raw(STATEMENT, [READ_TABLES]),
    )
    const found: Versions = Object.fromEntries(rows.map(({ tables, version }) => [tables, version]))
    if (latest === null || !sameVersions(READ_TABLES, latest, found)) latest = found
    return latest
  }, lookMs)
  return { latest: () => latest, current }
}
