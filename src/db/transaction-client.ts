import { hash } from 'node:crypto'
import { Client } from 'pg'
import { CopyData, copying, type Query } from './copy-in.ts'

/**
 * `answerTimeoutMillis`: closes the connection if the server is silent for this long. Off by
 * default.
 */
type ClientConfig = Exclude<ConstructorParameters<typeof Client>[0], string> & {
  readonly answerTimeoutMillis?: number
}

const BEGINS = /^(begin|start transaction)\b/
const ENDED = { command: 'ROLLBACK', rowCount: null, oid: 0, fields: [], rows: [] }

/**
 * Prepared statements per connection. Later ones are not prepared, which limits the server's
 * memory.
 */
const MAX_NAMED = 256

/**
 * A pg client that prepares each statement with parameters, so that the server parses and plans it
 * once per connection. Its transactions always end: Kysely releases a connection only after `begin`
 * and `rollback` succeed. A failed `rollback` closes it, and a failed `begin` fails all statements.
 */
export class TransactionClient extends Client {
  readonly #names = new Map<string, string>()

  constructor(config?: ClientConfig) {
    super(config)
    // pg's pool listens only to idle clients. Without a listener, an `error` event ends the
    // process.
    this.on('error', () => undefined)
    const query = copying(super.query.bind(this) as Query)
    const afterMs = config?.answerTimeoutMillis
    const plain = afterMs === undefined ? query : withAnswerDeadline(query, afterMs, () => this.#close())
    let failed: unknown
    const guarded: Query = (text, ...rest) => {
      if (typeof rest.at(-1) === 'function') return plain(text, ...rest)
      if (text === 'rollback') return this.#orClose(plain(text, ...rest))
      if (typeof text === 'string' && BEGINS.test(text))
        return this.#orClose(plain(text, ...rest), (error) => {
          failed = error
        })
      return failed === undefined ? plain(text, ...rest) : Promise.reject(failed)
    }
    const prepared: Query = (text, values, ...rest) => {
      if (isUnnamed(text)) return guarded({ ...text, name: this.#nameOf(text.text) }, values, ...rest)
      const hasParameters = Array.isArray(values) && values.length > 0 && !(values[0] instanceof CopyData)
      const name = typeof text === 'string' && hasParameters ? this.#nameOf(text) : undefined
      return name === undefined ? guarded(text, values, ...rest) : guarded({ name, text, values }, ...rest)
    }
    this.query = prepared as typeof this.query
  }

  #nameOf(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= MAX_NAMED) return known
    const name = hash('sha256', text, 'base64url')
    this.#names.set(text, name)
    return name
  }

  async #orClose(result: unknown, onFailure: (error: unknown) => void = () => undefined): Promise<unknown> {
    try {
      return await result
    } catch (error) {
      onFailure(error)
      // The pool does not reuse a client that is closing.
      this.#close()
      return ENDED
    }
  }

  #close(): void {
    void this.end().catch(() => undefined)
  }
}

/** Whether this is a statement in the form of an object with parameters. */
function isUnnamed(statement: unknown): statement is { text: string } {
  const { text, values, name } = Object(statement) as Record<string, unknown>
  return typeof text === 'string' && name === undefined && Array.isArray(values) && values.length > 0
}

/** After this statement, the server does not limit the statements of a transaction. */
const LIFTS_LIMIT = 'set local statement_timeout = 0'
const ENDS = new Set<unknown>(['commit', 'rollback'])

/**
 * Calls `onSilence` if a statement runs for `afterMs` and nothing arrives. The server would have
 * cancelled the statement earlier, so it is unreachable. pg's own `query_timeout` would reuse the
 * connection.
 */
function withAnswerDeadline(query: Query, afterMs: number, onSilence: () => void): Query {
  let lifted = false
  let unanswered = 0
  let timer: NodeJS.Timeout | undefined
  let lastCheck: NodeJS.Immediate | undefined
  const restart = (): void => {
    clearTimeout(timer)
    clearImmediate(lastCheck)
    if (unanswered === 0) return
    // A process that was suspended first reads what has arrived.
    timer = setTimeout(() => (lastCheck = setImmediate(onSilence)), afterMs)
  }
  return (text, ...rest) => {
    if (text === LIFTS_LIMIT) lifted = true
    const counts = !lifted
    const settled = (): void => {
      if (ENDS.has(text)) lifted = false
      if (!counts) return
      unanswered -= 1
      restart()
    }
    if (counts && (unanswered += 1) === 1) restart()
    const callback = rest.at(-1)
    if (typeof callback === 'function') {
      return query(text, ...rest.slice(0, -1), (...answer: unknown[]) => {
        settled()
        callback(...answer)
      })
    }
    return (query(text, ...rest) as Promise<unknown>).finally(settled)
  }
}
