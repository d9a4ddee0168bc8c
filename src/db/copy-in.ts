import { CompiledQuery, type Kysely } from 'kysely'
import type { Connection, Submittable } from 'pg'
import type { Query } from './answer-deadline.ts'

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

/** Runs `copy … from stdin` statements, divided by semicolons, in one round trip; they fail together. */
export async function copyIn<Tables>(db: Kysely<Tables>, statements: string, data: CopyData): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(statements, [data]))
}

/** A client's `query` that also takes a text with CopyData as its one value. */
export function copying(query: Query): Query {
  return (text, ...rest) => {
    const data: unknown = Array.isArray(rest[0]) ? rest[0][0] : undefined
    if (!(data instanceof CopyData)) return query(text, ...rest)
    const copy = new CopyIn(text as string, data)
    query(copy)
    return copy.finished
  }
}

/** Sends statements and data at once: the server takes the data as it comes to each statement, and drops it where one fails. */
class CopyIn implements Submittable {
  readonly finished: Promise<{ command: string; rowCount: null; rows: [] }>
  readonly #statements: string
  readonly #data: CopyData
  readonly #settled = Promise.withResolvers<{ command: string; rowCount: null; rows: [] }>()

  constructor(statements: string, data: CopyData) {
    this.#statements = statements
    this.#data = data
    this.finished = this.#settled.promise
  }

  submit(connection: Connection): void {
    const { stream } = connection
    stream.cork()
    connection.query(this.#statements)
    for (const pieces of this.#data.tables) {
      for (const piece of pieces) {
        // By hand, since pg would copy each piece once more.
        const header = Buffer.from([COPY_DATA, 0, 0, 0, 0])
        header.writeUInt32BE(LENGTH_BYTES + piece.length, 1)
        stream.write(header)
        stream.write(piece)
      }
      stream.write(COPY_DONE)
    }
    stream.uncork()
  }

  handleCopyInResponse(): void {}
  handleCommandComplete(): void {}

  /** Also where the connection is lost: nothing comes after it then. */
  handleError(error: unknown): void {
    this.#settled.reject(error)
  }

  handleReadyForQuery(): void {
    this.#settled.resolve({ command: 'COPY', rowCount: null, rows: [] })
  }
}
