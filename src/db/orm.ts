import { type Configuration, MikroORM, type Options } from '@mikro-orm/postgresql'
import { Migrator } from '@mikro-orm/migrations'
import type { Pool } from 'pg'
import { entities } from './entities/index.ts'
import { migrationsList } from './migrations/index.ts'
import { TransactionClient, type ClientConfig } from './transaction-client.ts'
import { valueParsers } from './value-parsers.ts'
import type { Orm, DatabaseConnection, OrmOptions } from './orm-types.ts'
import { createHash } from 'node:crypto'
import type { Query } from './answer-deadline.ts'
import { CopyData } from './copy-in.ts'
import type { PoolQueue } from '../platform/overload/admission.ts'

/** Opens the pool and checks the connection. Does not migrate the database. */
export async function openOrm(connection: DatabaseConnection, options: OrmOptions = {}): Promise<Orm> {
  const target =
    'url' in connection
      ? { connectionString: connection.url }
      : { host: connection.host, database: connection.database, user: connection.user }
  const statementTimeoutMs = options.statementTimeoutMs ?? 15_000
  const orm = await MikroORM.init({
    entities,
    dbName: databaseName(connection),
    extensions: [Migrator],
    migrations: {
      migrationsList,
      tableName: 'schema_migrations',
      snapshot: false,
      silent: true,
      disableForeignKeys: false,
    },
    schemaGenerator: { disableForeignKeys: false },
    allowGlobalContext: true,
    colors: false,
    logger: (message) => options.onWarning?.(message),
    driverOptions: {
      ...target,
      Client: options.preparedStatements === false ? TransactionClient : PreparingClient,
      types: valueParsers,
      onPoolCreated: (pool: Pool) => pool.on('error', (error) => options.onWarning?.(error.message)),
      max: options.poolSize ?? 10,
      connectionTimeoutMillis: options.connectTimeoutMs ?? 10_000,
      idleTimeoutMillis: 30_000,
      answerTimeoutMillis: statementTimeoutMs + (options.answerMarginMs ?? 5_000),
      keepAlive: true,
      options: [
        '-c TimeZone=UTC',
        // For SSDs. With the default, for hard disks, some plans read the whole history of an agent
        // and sort it, in place of one page from the index.
        '-c random_page_cost=1.1',
        // The lowest similarity that a search by name returns.
        '-c pg_trgm.similarity_threshold=0.3',
        `-c statement_timeout=${statementTimeoutMs}`,
        `-c idle_in_transaction_session_timeout=${options.idleInTransactionTimeoutMs ?? 60_000}`,
      ].join(' '),
    },
  } satisfies Options | Configuration)
  try {
    await orm.em.getConnection().execute('select 1')
  } catch (cause) {
    await orm.close()
    throw cause
  }
  return orm
}

function databaseName(connection: DatabaseConnection): string {
  if (!('url' in connection)) return connection.database
  const url = new URL(connection.url)
  return decodeURIComponent(url.pathname.slice(1)) || decodeURIComponent(url.username)
}

/**
 * Prepared statements per connection. Later ones are not prepared, which limits the server's
 * memory.
 */
const MAX_NAMED = 256

/**
 * A pg client that prepares each statement with parameters, so that the server parses and plans it
 * once per connection. It does not work behind a pooler in transaction mode.
 */
class PreparingClient extends TransactionClient {
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

/** The queue of the ORM's connection pool. `acquired` counts from this call on. */
export async function poolQueue(orm: Orm): Promise<PoolQueue> {
  const pool = await orm.em.getConnection().getNativeClient()
  let acquired = 0
  pool.on('acquire', () => (acquired += 1))
  return {
    connections: pool.options.max,
    get length() {
      return pool.waitingCount
    },
    get acquired() {
      return acquired
    },
  }
}
