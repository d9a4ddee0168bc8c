import type { MikroORM, EntityManager as PostgreSqlEntityManager } from '@mikro-orm/postgresql'
import type { entities } from './entities/index.ts'

export type Orm = MikroORM<PostgreSqlEntityManager, typeof entities>

/** Use a fork for each unit of work: this one would keep every entity in memory. */
export type EntityManager = Orm['em']

/** A server's URL, or the folder of a unix socket (`host`). */
export type DatabaseConnection = { url: string } | { host: string; database: string; user: string }

export interface OrmOptions {
  /** Maximum number of connections of this process. */
  poolSize?: number
  /** The server cancels statements that run longer. */
  statementTimeoutMs?: number
  /** A connection is closed if the server is silent for this long after the statement timeout. */
  answerMarginMs?: number
  /** The server ends transactions that are idle for longer. */
  idleInTransactionTimeoutMs?: number
  /** How long to wait for a connection, new or from the pool. */
  connectTimeoutMs?: number
  /** Called if the server drops a connection. The next query opens a new one. */
  onWarning?: (message: string) => void
}
