import { DomainError } from './errors.ts'
import { PAGE_LIMIT } from './page.ts'
import { integerParameter, optional } from './parameters.ts'
import { quoted } from './quoted.ts'

/** What a client asks of a list that it walks by cursors. */
export interface ConnectionInput {
  readonly first?: number | null
  readonly after?: string | null
}

export interface Edge<Row> {
  readonly cursor: string
  readonly node: Row
}

/** The next entries after a place; a place is a row's own, so that rows that come and go before it move nothing. */
export interface Connection<Row> {
  readonly edges: readonly Edge<Row>[]
  readonly hasNextPage: boolean
  /** Null where there are no edges. */
  readonly endCursor: string | null
}

/** What orders the rows of a list, of one row; the last part is unique. */
export type CursorKey = readonly (string | number)[]

const readFirst = integerParameter(PAGE_LIMIT)
const MAX_CURSOR = 500

export function firstOf({ first }: ConnectionInput): number {
  return optional(readFirst, 'first', first) ?? PAGE_LIMIT.default
}

/** `list` names the list and its order: a cursor of another one is none here. */
export function cursorOf(list: string, key: CursorKey): string {
  return Buffer.from(JSON.stringify([list, ...key])).toString('base64url')
}

/**
 * The key in `after`; undefined without one. `shape` has a check for each of its parts. Throws INVALID_CURSOR for what is no cursor of this
 * list and order.
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

/** From one row more than was asked for, where there is one more. */
export function connectionOf<Row>(
  rows: readonly Row[],
  first: number,
  cursor: (row: Row) => string,
): Connection<Row> {
  const edges = rows.slice(0, first).map((node) => ({ cursor: cursor(node), node }))
  return { edges, hasNextPage: rows.length > first, endCursor: edges.at(-1)?.cursor ?? null }
}

export const isInteger = (part: unknown): part is number => Number.isSafeInteger(part)
/** Text that PostgreSQL takes. */
export const isText = (part: unknown): part is string =>
  typeof part === 'string' && part.isWellFormed() && !part.includes('\0')
export const isTime = (part: unknown): part is string =>
  typeof part === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(part) &&
  !Number.isNaN(Date.parse(part))
