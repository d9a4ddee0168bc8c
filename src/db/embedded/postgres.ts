import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client, escapeIdentifier } from 'pg'
import type { Logger } from '../../platform/logger.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { isAlive } from '../../platform/process/pid-lock.ts'
import { ensureCluster, locateBinaries, serverEnvironment } from './initdb.ts'
import {
  clientDir,
  createSocketDir,
  placeCluster,
  type Placement,
  removeSocketDir,
  useSocketDir,
} from './placement.ts'

const START_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 30_000
const POLL_MS = 10
const RESTART_TIMEOUT_MS = 20_000
const RETRY_MS = 500

/** The host is the folder of a unix socket. There is no password. */
export interface SocketConnection {
  host: string
  user: string
  database: string
}

export interface EmbeddedPostgres {
  /** It stays the same when the server is started again. */
  readonly connection: SocketConnection
  /** The server was running already: a killed gateway left it, or another gateway uses it. */
  readonly adopted: boolean
  /** False if no new connection can be opened, because the server or its socket is gone. */
  isReachable(): Promise<boolean>
  /** Stops what is left of the server and starts it on the same data. Throws if that is gone. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** A process of PostgreSQL, and the folder of its socket. */
interface Server {
  readonly pid: number
  readonly socketDir: string
}

/** Starts the installed PostgreSQL with its data in DATA_DIR, or uses the one that runs there. */
export async function startEmbeddedPostgres(options: {
  dataDir: string
  database?: string
  logger: Pick<Logger, 'info'>
  /** Additional settings, such as `fsync=off` for tests. */
  settings?: string[]
  /** Ends the start. */
  signal?: AbortSignal
}): Promise<EmbeddedPostgres> {
  const { settings = [], database = 'gateway', signal = new AbortController().signal } = options
  const placement = placeCluster(options.dataDir)
  const { clusterDir } = placement
  await untilStopped(placement, signal)
  const running = await findRunning(placement)
  let server = running ?? (await launch(placement, settings, signal))
  useSocketDir(placement, server.socketDir)
  const connection = { host: clientDir(placement), user: 'postgres', database }
  const stop = async (): Promise<void> => {
    await stopProcess(server.pid)
    removeSocketDir(placement, server.socketDir)
  }
  await ensureDatabase(connection)
  options.logger.info(
    { clusterDir, adopted: running !== null },
    running === null ? 'embedded PostgreSQL started' : 'using the embedded PostgreSQL that is running',
  )
  return {
    connection,
    adopted: running !== null,
    isReachable: () => acceptsConnections(connection.host),
    restart: async () => {
      await stop()
      if (!existsSync(join(clusterDir, 'PG_VERSION')))
        throw new OperatorError(
          `${clusterDir} was deleted or moved while the gateway used it: start the gateway again`,
        )
      server = await retry(() => launch(placement, settings, new AbortController().signal))
      useSocketDir(placement, server.socketDir)
    },
    stop,
  }
}

/**
 * A quarter of the memory of the machine or container, as PostgreSQL's manual recommends, within
 * limits.
 */
function sharedBuffersMb(): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity)
  return Math.round(Math.min(Math.max(memory / 4 / 2 ** 20, 64), 1_024))
}

async function launch(placement: Placement, settings: string[], signal: AbortSignal): Promise<Server> {
  const binaries = locateBinaries(placement)
  await ensureCluster(binaries, placement, signal)
  const { clusterDir, uid } = placement
  const socketDir = createSocketDir(placement)
  const values = [
    'listen_addresses=',
    `unix_socket_directories=${socketDir}`,
    'unix_socket_permissions=0700',
    'max_connections=60',
    `shared_buffers=${sharedBuffersMb()}MB`,
    // Fewer checkpoints while the indexer catches up.
    'max_wal_size=4GB',
    'jit=off',
    'timezone=UTC',
    'log_timezone=UTC',
    ...settings,
  ]
  const log = openSync(`${clusterDir}.log`, 'a', 0o600)
  // In its own process group, so Ctrl-C reaches only the gateway, which stops the database last.
  const child = spawn(
    join(binaries, 'bin', 'postgres'),
    ['-D', clusterDir, ...values.flatMap((value) => ['-c', value])],
    {
      ...(uid === undefined ? {} : { uid, gid: uid }),
      cwd: '/',
      detached: true,
      env: serverEnvironment(),
      stdio: ['ignore', log, log],
    },
  )
  closeSync(log)
  const pid = child.pid ?? 0
  try {
    await untilReady(child, placement, signal)
  } catch (error) {
    if (pid > 0) await stopProcess(pid)
    removeSocketDir(placement, socketDir)
    throw error
  }
  child.unref()
  return { pid, socketDir }
}

// Busy sessions outlive a killed server for some time, and none can start next to them.
async function retry<Result>(work: () => Promise<Result>): Promise<Result> {
  for (const deadline = Date.now() + RESTART_TIMEOUT_MS; ; await delay(RETRY_MS)) {
    try {
      return await work()
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
  }
}

async function untilReady(child: ChildProcess, placement: Placement, signal: AbortSignal): Promise<void> {
  let failed: Error | undefined
  let ended: number | null | undefined
  child.once('error', (cause) => (failed = cause))
  child.once('exit', (code) => (ended = code))
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; await delay(POLL_MS)) {
    signal.throwIfAborted()
    if (failed !== undefined) throw failed
    if (ended !== undefined) {
      const log = readFileSync(`${placement.clusterDir}.log`, 'utf8').slice(-2_000)
      throw new Error(`PostgreSQL ended at start with code ${ended}: ${log}`)
    }
    const file = readPidFile(placement)
    if (file?.pid === child.pid && file?.status === 'ready') return
  }
  throw new Error(
    `PostgreSQL was not ready after ${START_TIMEOUT_MS / 1_000} s: see ${placement.clusterDir}.log`,
  )
}

// Lines of postmaster.pid: 1 process id, 5 socket folder, 8 status.
function readPidFile({ clusterDir }: Placement): (Server & { status: string }) | null {
  try {
    const lines = readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8').split('\n')
    return { pid: Number(lines[0]), socketDir: lines[4]?.trim() ?? '', status: lines[7]?.trim() ?? '' }
  } catch {
    return null
  }
}

async function findRunning(placement: Placement): Promise<Server | null> {
  const file = readPidFile(placement)
  if (file === null || !isAlive(file.pid)) return null
  const client = new Client({ host: file.socketDir, user: 'postgres', database: 'postgres' })
  try {
    await client.connect()
    const { rows } = await client.query<{ dir: string }>("select current_setting('data_directory') as dir")
    return rows[0]?.dir === placement.clusterDir ? file : null
  } catch {
    return null
  } finally {
    await client.end().catch(() => undefined)
  }
}

// A server that is busy or starting keeps its socket. Without one, or without a process behind it,
// nobody can connect again.
function acceptsConnections(socketDir: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(join(socketDir, '.s.PGSQL.5432'))
  socket.once('connect', () => resolve(true))
  socket.once('error', ({ code }: NodeJS.ErrnoException) =>
    resolve(code !== 'ENOENT' && code !== 'ECONNREFUSED'),
  )
  return promise.finally(() => socket.destroy())
}

async function ensureDatabase(connection: SocketConnection): Promise<void> {
  const client = new Client({ ...connection, database: 'postgres' })
  await client.connect()
  try {
    await client.query(`create database ${escapeIdentifier(connection.database)}`)
  } catch (error) {
    if ((error as { code?: string }).code !== '42P04') throw error
  } finally {
    await client.end()
  }
}

// SIGINT is the fast shutdown of PostgreSQL: it ends sessions and writes a checkpoint. Without the
// checkpoint, the next start would have to recover the data, so the server may take its time.
async function stopProcess(pid: number): Promise<void> {
  if (!isAlive(pid)) return
  process.kill(pid, 'SIGINT')
  for (const deadline = Date.now() + STOP_TIMEOUT_MS; Date.now() < deadline; await delay(POLL_MS)) {
    if (!isAlive(pid)) return
  }
}

// A gateway that had to end may have left a server that still stops.
async function untilStopped(placement: Placement, signal: AbortSignal): Promise<void> {
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; await delay(POLL_MS)) {
    signal.throwIfAborted()
    const file = readPidFile(placement)
    if (file?.status !== 'stopping' || !isAlive(file.pid)) return
  }
}
