import { Client } from 'pg'
import { type Query, withAnswerDeadline } from './answer-deadline.ts'
import { copying } from './copy-in.ts'

/** `answerTimeoutMillis`: how long the server may say nothing while a statement waits; without end where it is not given. */
export type ClientConfig = Exclude<ConstructorParameters<typeof Client>[0], string> & {
  readonly answerTimeoutMillis?: number
}

const BEGINS = /^(begin|start transaction)\b/
const ENDED = { command: 'ROLLBACK', rowCount: null, oid: 0, fields: [], rows: [] }

/**
 * A pg client whose transactions always come to an end, also where its connection was lost in one.
 *
 * Kysely's controlled transactions, which MikroORM's are, give a connection back only after a `begin` and a `rollback` that succeed: each
 * lost connection would be a place of the pool gone for good, and closing the pool would wait for it without end. So a `rollback` that
 * fails closes the connection, which is one too; and after a `begin` that failed every statement tells why, until the rollback.
 *
 * One that is lost between two statements tells the next one: pg's pool listens to a client only while nobody uses it, and an event `error`
 * that nobody hears ends the process. One whose server is gone without a word (half-open after a failover) is closed, which fails what waits on it.
 */
export class TransactionClient extends Client {
  constructor(config?: ClientConfig) {
    super(config)
    this.on('error', () => undefined)
    const query = copying(super.query.bind(this) as Query)
    const afterMs = config?.answerTimeoutMillis
    const plain = afterMs === undefined ? query : withAnswerDeadline(query, afterMs, () => this.#close())
    let failed: unknown
    const kept: Query = (text, ...rest) => {
      if (typeof rest.at(-1) === 'function') return plain(text, ...rest)
      if (text === 'rollback') return this.#orClose(plain(text, ...rest))
      if (typeof text === 'string' && BEGINS.test(text))
        return this.#orClose(plain(text, ...rest), (error) => {
          failed = error
        })
      return failed === undefined ? plain(text, ...rest) : Promise.reject(failed)
    }
    this.query = kept as typeof this.query
  }

  async #orClose(result: unknown, onFailure: (error: unknown) => void = () => undefined): Promise<unknown> {
    try {
      return await result
    } catch (error) {
      onFailure(error)
      // The pool takes no client back that is ending.
      this.#close()
      return ENDED
    }
  }

  #close(): void {
    void this.end().catch(() => undefined)
  }
}
