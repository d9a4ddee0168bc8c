import { DomainError } from './errors.ts'
import { PAGE_LIMIT } from './page.ts'
import { integerParameter, optional } from './parameters.ts'
import { quoted } from './quoted.ts'

/** Arguments of a list with cursors. */
export interface ConnectionInput {
  readonly first?: number | null
  readonly after?: string | null
}

export interface Edge<Row> {
  readonly cursor: string
  readonly node: Row
}

/** One page. A cursor identifies its row, so rows inserted before it do not shift the next page. */
export interface Connection<Row> {
  readonly edges: readonly Edge<Row>[]
  readonly hasNextPage: boolean
  /** Null if there are no edges. */
  readonly endCursor: string | null
}

/** The values of a row that the list is sorted by. The last one is unique. */
export type CursorKey = readonly (string | number)[]

const readFirst = integerParameter(PAGE_LIMIT)
const MAX_CURSOR = 500

export function firstOf({ first }: ConnectionInput): number {
  return optional(readFirst, 'first', first) ?? PAGE_LIMIT.default
}

/** `list` names the list and its order. A cursor is valid for that list only. */
export function cursorOf(list: string, key: CursorKey): string {
  return Buffer.from(JSON.stringify([list, ...key])).toString('base64url')
}

/**
 * The key in `after`, or undefined without `after`. `shape` checks each part. Throws INVALID_CURSOR
 * for a cursor of another list or order.
 */
export function keyAfter<Key extends CursorKey>(
  list: string,
  { after }: ConnectionInput,
  shape: { readonly [Index in keyof Key]: (part: unknown) => part is Key[Index] },
): Key | undefined {
  if (after === undefined || after === null) return undefined
  const [name, ...key] = read(after)
  if (name !== list || key.length !== shape.length || !shape.every((check, i) => check(key[i])))
    throw new DomainError('INVALID_CURSOR', { value: quoted(after) })
  return key as unknown as Key
}

function read(text: string): readonly unknown[] {
  if (text.length > MAX_CURSOR) return []
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/** Builds a page from up to `first + 1` rows. The extra row shows that there is a next page. */
export function connectionOf<Row>(
  rows: readonly Row[],
  first: number,
  cursor: (row: Row) => string,
): Connection<Row> {
  const edges = rows.slice(0, first).map((node) => ({ cursor: cursor(node), node }))
  return { edges, hasNextPage: rows.length > first, endCursor: edges.at(-1)?.cursor ?? null }
}

export const isInteger = (part: unknown): part is number => Number.isSafeInteger(part)
/** Text that PostgreSQL accepts. */
export const isText = (part: unknown): part is string =>
  typeof part === 'string' && part.isWellFormed() && !part.includes('\0')
export const isTime = (part: unknown): part is string =>
  typeof part === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(part) &&
  !Number.isNaN(Date.parse(part))
