import { createHash } from 'node:crypto'
import type { Query } from './answer-deadline.ts'
import { CopyData } from './copy-in.ts'
import { type ClientConfig, TransactionClient } from './transaction-client.ts'

/**
 * Prepared statements per connection. Later ones are not prepared, which limits the server's
 * memory.
 */
const MAX_NAMED = 256

/**
 * A pg client that prepares each statement with parameters, so that the server parses and plans it
 * once per connection. It does not work behind a pooler in transaction mode.
 */
export class PreparingClient extends TransactionClient {
  readonly #names = new Map<string, string>()

  constructor(config?: ClientConfig) {
    super(config)
    const plain = this.query.bind(this) as Query
    const prepared: Query = (text, values, ...rest) => {
      if (isUnnamed(text)) return plain({ ...text, name: this.#name(text.text) }, values, ...rest)
      const hasParameters = Array.isArray(values) && values.length > 0 && !(values[0] instanceof CopyData)
      const name = typeof text === 'string' && hasParameters ? this.#name(text) : undefined
      return name === undefined ? plain(text, values, ...rest) : plain({ name, text, values }, ...rest)
    }
    this.query = prepared as typeof this.query
  }

  #name(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= MAX_NAMED) return known
    const name = createHash('sha256').update(text).digest('base64url')
    this.#names.set(text, name)
    return name
  }
}

/** Whether this is a statement in the form of an object with parameters. */
function isUnnamed(statement: unknown): statement is { text: string } {
  const { text, values, name } = Object(statement) as Record<string, unknown>
  return typeof text === 'string' && name === undefined && Array.isArray(values) && values.length > 0
}
