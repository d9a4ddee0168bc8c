import { Client } from 'pg'
import { type Query, withAnswerDeadline } from './answer-deadline.ts'
import { copying } from './copy-in.ts'

/**
 * `answerTimeoutMillis`: closes the connection if the server is silent for this long. Off by
 * default.
 */
export type ClientConfig = Exclude<ConstructorParameters<typeof Client>[0], string> & {
  readonly answerTimeoutMillis?: number
}

const BEGINS = /^(begin|start transaction)\b/
const ENDED = { command: 'ROLLBACK', rowCount: null, oid: 0, fields: [], rows: [] }

/**
 * A pg client whose transactions always end. Kysely releases a connection only after `begin` and
 * `rollback` succeed, so a lost connection would never return to the pool. Here a failed `rollback`
 * closes the connection and succeeds, and after a failed `begin` each statement fails with its
 * error.
 */
export class TransactionClient extends Client {
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
    this.query = guarded as typeof this.query
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
