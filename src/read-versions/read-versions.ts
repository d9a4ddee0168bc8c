import { CompiledQuery, type Kysely } from 'kysely'
import type { Database } from '../db/tables.ts'
import { shareLooks } from './share-looks.ts'

/** Groups of tables that answers are made of: `agents` is agents with their counts, `history` their history entries. */
export const READ_TABLES = ['agents', 'stakes', 'history'] as const

export type ReadTables = (typeof READ_TABLES)[number]

/** A text for each group: the same text means the same rows. While nothing changes it is the same object. */
export type Versions = Readonly<Partial<Record<ReadTables, string>>>

export interface ReadVersions {
  /** What the last look found, which may be long ago; null before the first. */
  latest(): Versions | null
  /**
   * The versions now: no older than what was committed when it was called. One statement, shared by those who call before it starts. Null where
   * the database took too long to tell.
   */
  current(): Promise<Versions | null>
}

// The start of the server is part of it, since one restored from a backup, or promoted in another's place, may use numbers again.
const STATEMENT = `
  select tables, extract(epoch from pg_postmaster_start_time()) || ' ' || string_agg(changed_by::text, ' ' order by place) as version
  from read_versions where tables = any($1) group by tables`

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

/** Whether the rows of these groups are the same at both versions; of a group that has none, nobody knows. */
export function sameVersions(tables: readonly ReadTables[], one: Versions, other: Versions): boolean {
  return one === other || tables.every((each) => one[each] !== undefined && one[each] === other[each])
}
