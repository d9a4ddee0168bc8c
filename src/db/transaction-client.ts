import { Client } from 'pg'

type Query = (...args: unknown[]) => unknown

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
 * that nobody hears ends the process.
 */
export class TransactionClient extends Client {
  constructor(config?: ConstructorParameters<typeof Client>[0]) {
    super(config)
    this.on('error', () => undefined)
    const plain = super.query.bind(this) as Query
    let failed: unknown
    const kept: Query = (text, ...rest) => {
      if (typeof text !== 'string' || typeof rest.at(-1) === 'function') return plain(text, ...rest)
      if (text === 'rollback') return this.#orClose(plain(text, ...rest))
      if (BEGINS.test(text))
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
      void this.end().catch(() => undefined)
      return ENDED
    }
  }
}
