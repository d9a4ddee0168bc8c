import { DomainError } from './errors.ts'
import { PAGE_LIMIT } from './page.ts'
import { integerParameter, optional } from './parameters.ts'
import { quoted } from './quoted.ts'

/** Arguments of a list with cursors. Without `last`, a page has the first rows after `after`. */
export interface ConnectionInput {
  readonly first?: number | null
  readonly after?: string | null
  readonly last?: number | null
  readonly before?: string | null
}

export interface Edge<Row> {
  readonly cursor: string
  readonly node: Row
}

/** One page. A cursor identifies its row, so rows inserted before it do not shift the next page. */
export interface Connection<Row> {
  readonly edges: readonly Edge<Row>[]
  /** With `last`: whether `before` was given. */
  readonly hasNextPage: boolean
  /** With `first`: whether `after` was given. */
  readonly hasPreviousPage: boolean
  /** Counts all rows of the list, at the first call. */
  readonly count: () => Promise<number>
}

/** The values of a row that the list is sorted by. The last one is unique. */
export type CursorKey = readonly (string | number)[]

/** The rows of a page: the first or the last `size` rows between two keys. */
export interface Span<Key extends CursorKey> {
  readonly size: number
  /** True for the last rows. They are read in reverse order. */
  readonly backward: boolean
  readonly after?: Key
  readonly before?: Key
}

const readSize = integerParameter(PAGE_LIMIT)
const MAX_CURSOR = 500

/** The number of rows of a page. Throws INVALID_INTEGER, and INVALID_REQUEST for both sizes. */
export function pageSize({ first, last }: ConnectionInput): number {
  const fromStart = optional(readSize, 'first', first)
  const fromEnd = optional(readSize, 'last', last)
  if (fromStart !== undefined && fromEnd !== undefined)
    throw new DomainError('INVALID_REQUEST', { problem: 'Provide first or last, not both' })
  return fromStart ?? fromEnd ?? PAGE_LIMIT.default
}

/** `list` names the list and its order. A cursor is valid for that list only. */
export function cursorOf(list: string, key: CursorKey): string {
  return Buffer.from(JSON.stringify([list, ...key])).toString('base64url')
}

type Shape<Key extends CursorKey> = {
  readonly [Index in keyof Key]: (part: unknown) => part is Key[Index]
}

/**
 * Reads the arguments of a page. `shape` checks each part of a key. Throws INVALID_CURSOR for a
 * cursor of another list or order, and what `pageSize` throws.
 */
export function readSpan<Key extends CursorKey>(
  list: string,
  input: ConnectionInput,
  shape: Shape<Key>,
): Span<Key> {
  const key = (parameter: 'after' | 'before') => readKey(list, parameter, input[parameter], shape)
  return {
    size: pageSize(input),
    backward: input.last !== undefined && input.last !== null,
    after: key('after'),
    before: key('before'),
  }
}

function readKey<Key extends CursorKey>(
  list: string,
  parameter: string,
  cursor: string | null | undefined,
  shape: Shape<Key>,
): Key | undefined {
  if (cursor === undefined || cursor === null) return undefined
  const [name, ...key] = decode(cursor)
  if (name !== list || key.length !== shape.length || !shape.every((check, i) => check(key[i])))
    throw new DomainError('INVALID_CURSOR', { parameter, value: quoted(cursor) })
  return key as unknown as Key
}

function decode(text: string): readonly unknown[] {
  if (text.length > MAX_CURSOR) return []
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/**
 * Builds a page from up to `size + 1` rows, in the order in which they were read. The extra row
 * shows that there are more.
 */
export function connectionOf<Row>(
  rows: readonly Row[],
  { size, backward, after, before }: Span<CursorKey>,
  cursor: (row: Row) => string,
  count: () => Promise<number>,
): Connection<Row> {
  const shown = rows.slice(0, size)
  const edges = (backward ? shown.toReversed() : shown).map((node) => ({ cursor: cursor(node), node }))
  const hasMore = rows.length > size
  let counted: Promise<number> | undefined
  return {
    edges,
    hasNextPage: backward ? before !== undefined : hasMore,
    hasPreviousPage: backward ? hasMore : after !== undefined,
    count: () => (counted ??= count()),
  }
}

/**
 * A page of a list that is in memory as a whole. A cursor has the key of its row. Throws
 * INVALID_CURSOR, also if the row is not in the list any more.
 */
export function connectionOfAll<Row>(
  list: string,
  rows: readonly Row[],
  input: ConnectionInput,
  keyOf: (row: Row) => string,
): Connection<Row> {
  const span = readSpan<readonly [string]>(list, input, [isText])
  const place = (parameter: 'after' | 'before', usual: number): number => {
    const key = span[parameter]?.[0]
    if (key === undefined) return usual
    const index = rows.findIndex((row) => keyOf(row) === key)
    if (index < 0) throw new DomainError('INVALID_CURSOR', { parameter, value: quoted(input[parameter]) })
    return index
  }
  const between = rows.slice(place('after', -1) + 1, place('before', rows.length))
  const read = (span.backward ? between.toReversed() : between).slice(0, span.size + 1)
  return connectionOf(
    read,
    span,
    (row) => cursorOf(list, [keyOf(row)]),
    () => Promise.resolve(rows.length),
  )
}

export const isInteger = (part: unknown): part is number => Number.isSafeInteger(part)
/** Text that PostgreSQL accepts. */
export const isText = (part: unknown): part is string =>
  typeof part === 'string' && part.isWellFormed() && !part.includes('\0')
/** A time as rows have it. PostgreSQL refuses the year 0 and 30 February. */
export const isTime = (part: unknown): part is string =>
  typeof part === 'string' && /^(?!0000)\d{4}-/.test(part) && new Date(part).toJSON() === part
/** A u64 in decimal. */
export const isU64 = (part: unknown): part is string => typeof part === 'string' && /^\d{1,20}$/.test(part)
