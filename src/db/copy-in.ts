import { CompiledQuery, type Kysely } from 'kysely'
import type { Connection, Submittable } from 'pg'

export type Query = (...args: unknown[]) => unknown

const LENGTH_BYTES = 4
const COPY_DATA = 'd'.charCodeAt(0)
const COPY_DONE = Buffer.from(['c'.charCodeAt(0), 0, 0, 0, LENGTH_BYTES])

/** The data of `copy … from stdin` statements, as text of the format `text`. */
export class CopyData {
  /** For each statement in turn, in any number of pieces. */
  readonly tables: readonly (readonly Buffer[])[]

  constructor(tables: readonly (readonly Buffer[])[]) {
    this.tables = tables
  }
}

/**
 * Runs `copy … from stdin` statements, separated by semicolons, in one round trip. All or none
 * succeed.
 */
export async function copyIn<Tables>(db: Kysely<Tables>, statements: string, data: CopyData): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(statements, [data]))
}

/** A client's `query` that also accepts a text with CopyData as its only value. */
export function copying(query: Query): Query {
  return (text, ...rest) => {
    const data: unknown = Array.isArray(rest[0]) ? rest[0][0] : undefined
    if (!(data instanceof CopyData)) return query(text, ...rest)
    const { promise, resolve, reject } = Promise.withResolvers()
    const submittable: Submittable & Record<string, unknown> = {
      submit: (connection) => sendCopy(connection, text as string, data),
      handleCopyInResponse: () => {},
      handleCommandComplete: () => {},
      // Also called if the connection is lost. Then `handleReadyForQuery` is not.
      handleError: reject,
      handleReadyForQuery: () => resolve({ command: 'COPY', rowCount: null, rows: [] }),
    }
    query(submittable)
    return promise
  }
}

/** Sends statements and data at once. If a statement fails, the server discards the data. */
function sendCopy(connection: Connection, statements: string, { tables }: CopyData): void {
  const { stream } = connection
  stream.cork()
  connection.query(statements)
  for (const pieces of tables) {
    for (const piece of pieces) {
      // Without pg's writer, which would copy each piece once more.
      const header = Buffer.from([COPY_DATA, 0, 0, 0, 0])
      header.writeUInt32BE(LENGTH_BYTES + piece.length, 1)
      stream.write(header)
      stream.write(piece)
    }
    stream.write(COPY_DONE)
  }
  stream.uncork()
}

const SPECIAL = /[\\\n\r\t]/
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * Encodes rows for `copy … from stdin` with the format `text`. Values are text, numbers, null,
 * lists of text, and objects for jsonb columns.
 */
export function copyText(rows: readonly object[], columns: readonly string[]): Buffer {
  let text = ''
  for (const row of rows as readonly Record<string, unknown>[]) {
    columns.forEach((column, i) => {
      text += (i === 0 ? '' : '\t') + encode(row[column])
    })
    text += '\n'
  }
  return Buffer.from(text)
}

function encode(value: unknown): string {
  if (value === null) return '\\N'
  if (typeof value === 'string') return escape(value)
  if (Array.isArray(value)) return escape(arrayText(value as string[]))
  return escape(JSON.stringify(value))
}

function escape(text: string): string {
  return SPECIAL.test(text) ? text.replaceAll(/[\\\n\r\t]/g, (found) => ESCAPES[found] ?? found) : text
}

const arrayText = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`
