import { type Configuration, MikroORM, type Options } from '@mikro-orm/postgresql'
import { Migrator } from '@mikro-orm/migrations'
import type { Pool } from 'pg'
import { entities } from './entities/index.ts'
import { migrationsList } from './migrations/index.ts'
import { TransactionClient } from './transaction-client.ts'
import { valueParsers } from './value-parsers.ts'
import type { Orm, DatabaseConnection, OrmOptions } from './orm-types.ts'
import type { PoolQueue } from '../platform/overload/admission.ts'

/** Opens the pool and checks the connection. Does not migrate the database. */
export async function openOrm(connection: DatabaseConnection, options: OrmOptions = {}): Promise<Orm> {
  const target = 'url' in connection ? { connectionString: connection.url } : connection
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
      Client: TransactionClient,
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
