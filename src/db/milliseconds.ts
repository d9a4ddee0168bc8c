import { type RawBuilder, sql } from 'kysely'

/** An interval of `count` milliseconds. */
export function milliseconds(count: number): RawBuilder<unknown> {
  return sql`(${Math.round(count)}::bigint * interval '1 millisecond')`
}
