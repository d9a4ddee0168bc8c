import { integerParameter, optional } from './parameters.ts'

/** Page sizes of all lists (contract, "Limits"). The maximum offset is the largest GraphQL Int. */
export const PAGE_LIMIT = { min: 1, max: 200, default: 50 } as const
export const PAGE_OFFSET = { min: 0, max: 2_147_483_647, default: 0 } as const

export type Order = 'asc' | 'desc'

export interface PageInput {
  readonly limit?: number | null
  readonly offset?: number | null
}

export interface PageBounds {
  readonly limit: number
  readonly offset: number
}

/** One page of a list. `total` counts all matching rows. */
export interface Page<Row> extends PageBounds {
  readonly total: number
  readonly rows: Row[]
}

/** Skipped entries are read too, so each 5,000 of them cost one unit of the limit of requests. */
export const SKIPPED_PER_UNIT = 5_000
/** No list has more entries today. */
export const MAX_OFFSET_UNITS = 100
/** For the descriptions of the APIs. */
export const OFFSET_COST = `Each ${SKIPPED_PER_UNIT.toLocaleString('en')} cost one unit of the rate limit.`

/** What an offset costs in addition to its list. Wrong values are refused later. */
export function offsetUnits(offset: unknown): number {
  return typeof offset === 'number' && offset > 0
    ? Math.min(Math.floor(offset / SKIPPED_PER_UNIT), MAX_OFFSET_UNITS)
    : 0
}

const readLimit = integerParameter(PAGE_LIMIT)
const readOffset = integerParameter(PAGE_OFFSET)

export function pageBounds(input: PageInput): PageBounds {
  return {
    limit: optional(readLimit, 'limit', input.limit) ?? PAGE_LIMIT.default,
    offset: optional(readOffset, 'offset', input.offset) ?? PAGE_OFFSET.default,
  }
}
