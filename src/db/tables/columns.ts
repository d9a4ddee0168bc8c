import type { ColumnType } from 'kysely'

/** timestamptz: read as ISO 8601 text in UTC with milliseconds, written as such text or a Date. */
export type Timestamp = ColumnType<string, string | Date, string | Date>
/** numeric(20,0), for u64: read as decimal text. */
export type U64 = ColumnType<string, string | bigint, string | bigint>

export type Finality = 'confirmed' | 'finalized' | 'orphaned'
