import { setTimeout } from 'node:timers/promises'
import type { Config } from '../platform/config/config.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../db/embedded/postgres.ts'
import { migrate } from '../db/migrate.ts'
import { openOrm } from '../db/orm.ts'
import { abortable, withTimeout } from '../platform/async/promises.ts'
import type { Logger } from '../platform/logger.ts'
import { OperatorError } from '../platform/process/operator-error.ts'
import type { Orm } from '../db/orm-types.ts'

const CHECK_MS = 1_000
const CLOSE_MS = 3_000

/** Ends a child process as fast as its data allows, when this one cannot stop in order. */
export type EndChild = () => Promise<void>

interface DatabaseOptions {
  /** `stop` leaves an embedded server running that was already running before. */
  readonly keepServer?: boolean
  /** Ends the start. */
  readonly signal?: AbortSignal
  /** Gets the embedded server. */
  readonly children?: Set<EndChild>
}

/** Opens DATABASE_URL, or starts the embedded PostgreSQL. */
export async function startDatabase(
  config: Pick<Config, 'databaseUrl' | 'databaseWaitMs' | 'dataDir'>,
  logger: Logger,
  options: DatabaseOptions = {},
) {
  const { signal = new AbortController().signal, children } = options
  const starting = config.databaseUrl === null ? startEmbeddedPostgres({ ...config, logger, signal }) : null
  const stopping = new AbortController()
  children?.add(async () => {
    stopping.abort()
    // A start that fails has stopped its server.
    await (await starting?.catch(() => null))?.stop()
  })
  const embedded = await starting
  const connection = embedded?.connection ?? { url: config.databaseUrl ?? '' }
  let keeping = Promise.resolve()
  const stopServer = async (): Promise<void> => {
    if (embedded !== null && !(options.keepServer === true && embedded.adopted)) await embedded.stop()
  }
  try {
    const opening = openOrm(connection, {
      connectTimeoutMs: config.databaseWaitMs,
      // A pool that ends does not wait until its connections are closed.
      onWarning: (message) => stopping.signal.aborted || logger.warn(message),
    })
    const orm = await abortable(opening, signal)
    const applied = await migrate(orm, signal)
    await warnAboutSettings(orm, logger)
    return {
      /** Open and migrated. */
      orm,
      /** Names of the migrations that were applied now. */
      applied,
      /** Until `stop`, starts the embedded server again if it is lost. Rejects if that fails. */
      keepReachable: (): Promise<void> =>
        (keeping = keepReachable(embedded, { signal: stopping.signal, logger })),
      /** Closes the pool, and the embedded server if this process started it. */
      stop: async (): Promise<void> => {
        stopping.abort()
        await keeping.catch(() => undefined)
        // Requests that were given up may still run statements. They end with the server.
        await withTimeout(CLOSE_MS, orm.close())
        await stopServer()
      },
    }
  } catch (error) {
    await stopServer()
    throw config.databaseUrl === null ? error : (connectionProblem(error, config.databaseUrl) ?? error)
  }
}

async function keepReachable(
  embedded: EmbeddedPostgres | null,
  { signal, logger }: { signal: AbortSignal; logger: Logger },
): Promise<void> {
  if (embedded === null) return
  while (!signal.aborted) {
    if (!(await embedded.isReachable())) {
      logger.error('the embedded PostgreSQL cannot be reached and is started again')
      await embedded.restart()
    }
    await setTimeout(CHECK_MS, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

/**
 * SQLSTATE: wrong credentials, no such database, no privilege, read-only server. And network
 * errors of Node.
 */
const CONNECTION_CODES = /^(28...|3D...|42501|25006|E[A-Z]+)$/

/** An error for a wrong DATABASE_URL, without its password. Null for any other error. */
function connectionProblem(error: unknown, url: string): OperatorError | null {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined || !CONNECTION_CODES.test(code)) return null
  const { host, pathname } = new URL(url)
  return new OperatorError(`DATABASE_URL: ${host}${pathname} is not usable: ${message}`)
}

async function warnAboutSettings(orm: Orm, logger: Logger): Promise<void> {
  // pg_trgm uses LC_CTYPE to find letters. With C it finds none outside ASCII.
  const [row] = await orm.em
    .getConnection()
    .execute<{ letters: boolean; timeout: string }[]>(
      "select cardinality(show_trgm('é')) > 0 as letters, current_setting('statement_timeout') as timeout",
    )
  if (row?.letters === false)
    logger.warn(
      'search by name finds ASCII letters only: the database has LC_CTYPE C. Create it with C.UTF-8',
    )
  if (row?.timeout === '0')
    logger.warn(
      'a pooler or DATABASE_URL replaced the settings of the connections, such as the statement timeout: see docs/guides/scale.md',
    )
}
