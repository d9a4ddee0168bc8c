import { type RawBuilder, sql } from 'kysely'
import type { Span } from '../domain/connection.ts'
import type { Order } from '../domain/page.ts'

/** The SQL of a page between two keys. */
export interface Keyset {
  /** To be joined with `and`. */
  readonly conditions: RawBuilder<unknown>[]
  /** `order by` and `limit`. The limit has one row more than the page. */
  readonly page: RawBuilder<unknown>
}

/** Keys of a list that is sorted by one unique column. */
export function uniqueKeyset(
  column: RawBuilder<unknown>,
  order: Order,
  { size, backward, after, before }: Span<readonly [string | number]>,
): Keyset {
  const [rising, falling] = order === 'asc' ? [after, before] : [before, after]
  return {
    conditions: [
      ...(rising === undefined ? [] : [sql`${column} > ${rising[0]}`]),
      ...(falling === undefined ? [] : [sql`${column} < ${falling[0]}`]),
    ],
    page: sql`order by ${column} ${direction(order, backward)} limit ${size + 1}`,
  }
}

/** Keys of a list that is sorted by a column of the SQL type `type`, and ties by pda, ascending. */
export function sortedKeyset(
  { column, type, order }: { column: RawBuilder<unknown>; type: RawBuilder<unknown>; order: Order },
  { size, backward, after, before }: Span<readonly [value: string | number, pda: string]>,
): Keyset {
  // The first comparison is redundant, but it lets the index scan start at the key.
  const beyond = (
    [value, pda]: readonly [string | number, string],
    isRising: boolean,
    tie: RawBuilder<unknown>,
  ) => {
    const bound = sql`${value}::${type}`
    return isRising
      ? sql`${column} >= ${bound} and (${column} > ${bound} or ${tie} ${pda})`
      : sql`${column} <= ${bound} and (${column} < ${bound} or ${tie} ${pda})`
  }
  const isAscending = order === 'asc'
  return {
    conditions: [
      ...(after === undefined ? [] : [beyond(after, isAscending, sql`pda >`)]),
      ...(before === undefined ? [] : [beyond(before, !isAscending, sql`pda <`)]),
    ],
    page: sql`order by ${column} ${direction(order, backward)}, pda ${direction('asc', backward)} limit ${size + 1}`,
  }
}

function direction(order: Order, backward: boolean): RawBuilder<unknown> {
  return (order === 'asc') === backward ? sql`desc` : sql`asc`
}
