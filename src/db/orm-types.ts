import type { MikroORM, EntityManager as PostgreSqlEntityManager } from '@mikro-orm/postgresql'
import type { entities } from './entities/index.ts'

export type Orm = MikroORM<PostgreSqlEntityManager, typeof entities>

/** Use a fork for each unit of work: this one would keep every entity in memory. */
export type EntityManager = Orm['em']

/** A server by URL, or one on a unix socket: `host` is its folder. */
export type DatabaseConnection = { url: string } | { host: string; database: string; user: string }

export interface OrmOptions {
  /** Connections of this process at most. */
  poolSize?: number
  /** A statement that runs longer is cancelled by the server. */
  statementTimeoutMs?: number
  /** A connection of the pool on which no answer comes for longer, the statement's time aside, is closed: its server is gone. */
  answerMarginMs?: number
  /** A transaction that waits for its client longer than this is ended by the server. */
  idleInTransactionTimeoutMs?: number
  /** For a connection of the pool, a new one or one that is given back. */
  connectTimeoutMs?: number
  /** Off behind a pooler in transaction mode. */
  preparedStatements?: boolean
  /** Told of connections that the server dropped; the next query opens a new one. */
  onWarning?: (message: string) => void
}
