import type { Config } from '../platform/config/config.ts'
import { startEmbeddedPostgres } from '../db/embedded/postgres.ts'
import { migrate } from '../db/migrate.ts'
import { openOrm } from '../db/orm.ts'
import type { Logger } from '../platform/logger.ts'
import { OperatorError } from '../platform/process/operator-error.ts'
import type { DatabaseConnection, Orm } from '../db/orm-types.ts'

export interface RunningDatabase {
  connection: DatabaseConnection
  /** Migrated. */
  orm: Orm
  /** Names of the migrations that this start applied. */
  applied: string[]
  /** Closes the pool and, where this process owns it, the embedded server. */
  stop(): Promise<void>
}

/** Opens DATABASE_URL, or the embedded PostgreSQL; `keepServer` leaves a server alone that was running already. */
export async function startDatabase(
  config: Pick<Config, 'databaseUrl' | 'databaseWaitMs' | 'dataDir'>,
  logger: Logger,
  options: { keepServer?: boolean } = {},
): Promise<RunningDatabase> {
  const embedded =
    config.databaseUrl === null ? await startEmbeddedPostgres({ dataDir: config.dataDir, logger }) : null
  const connection = embedded?.connection ?? { url: config.databaseUrl ?? '' }
  const stopServer = async (): Promise<void> => {
    if (embedded !== null && !(options.keepServer === true && embedded.adopted)) await embedded.stop()
  }
  try {
    const orm = await openOrm(connection, {
      connectTimeoutMs: config.databaseWaitMs,
      onWarning: (message) => logger.warn(message),
    })
    const applied = await migrate(orm)
    await warnOfPlainLetters(orm, logger)
    return {
      connection,
      orm,
      applied,
      stop: async () => {
        await orm.close()
        await stopServer()
      },
    }
  } catch (error) {
    await stopServer()
    throw config.databaseUrl === null ? error : (connectionProblem(error, config.databaseUrl) ?? error)
  }
}

/** SQLSTATE classes 28 (credentials) and 3D (no such database), and what the network says. */
const CONNECTION_CODES = /^(28...|3D...|E[A-Z]+)$/

/** What DATABASE_URL gets wrong, without its password; null for anything else. */
function connectionProblem(error: unknown, url: string): OperatorError | null {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined || !CONNECTION_CODES.test(code)) return null
  const { host, pathname } = new URL(url)
  return new OperatorError(`DATABASE_URL: ${host}${pathname} cannot be used: ${message}`)
}

// pg_trgm takes for letters what LC_CTYPE does: under C it sees nothing in names of other scripts.
async function warnOfPlainLetters(orm: Orm, logger: Logger): Promise<void> {
  const [row] = await orm.em
    .getConnection()
    .execute<{ found: boolean }[]>("select cardinality(show_trgm('é')) > 0 as found")
  if (row?.found === false) {
    logger.warn(
      'agents with names beyond ASCII cannot be searched: the database has LC_CTYPE C; make one with C.UTF-8',
    )
  }
}
