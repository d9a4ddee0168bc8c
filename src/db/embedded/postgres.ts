import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client, escapeIdentifier } from 'pg'
import type { Logger } from '../../platform/logger.ts'
import { isAlive } from '../../platform/process/pid-lock.ts'
import { locateBinaries } from './binaries.ts'
import { ensureCluster, serverEnvironment } from './initdb.ts'
import { type Placement, placeCluster } from './placement.ts'

const START_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 30_000
const POLL_MS = 10

/** The host is the folder of a unix socket. There is no password. */
export interface SocketConnection {
  host: string
  user: string
  database: string
}

export interface EmbeddedPostgres {
  readonly connection: SocketConnection
  /** The server was running already: a killed gateway left it, or another gateway uses it. */
  readonly adopted: boolean
  stop(): Promise<void>
}

/** Starts the installed PostgreSQL with its data in DATA_DIR, or uses the one that runs there. */
export async function startEmbeddedPostgres(options: {
  dataDir: string
  database?: string
  logger: Pick<Logger, 'info'>
  /** Additional settings, such as `fsync=off` for tests. */
  settings?: string[]
}): Promise<EmbeddedPostgres> {
  const placement = placeCluster(options.dataDir)
  const running = await findRunning(placement)
  const stop = running === null ? await launch(placement, options.settings ?? []) : () => stopProcess(running)
  const connection = { host: placement.socketDir, user: 'postgres', database: options.database ?? 'gateway' }
  await ensureDatabase(connection)
  options.logger.info(
    { clusterDir: placement.clusterDir, adopted: running !== null },
    running === null ? 'embedded PostgreSQL started' : 'using the embedded PostgreSQL that is running',
  )
  return { connection, adopted: running !== null, stop }
}

/**
 * A quarter of the memory of the machine or container, as PostgreSQL's manual recommends, within
 * limits.
 */
function sharedBuffersMb(): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity)
  return Math.round(Math.min(Math.max(memory / 4 / 2 ** 20, 64), 1_024))
}

async function launch(placement: Placement, settings: string[]): Promise<() => Promise<void>> {
  const binaries = locateBinaries(placement)
  await ensureCluster(binaries, placement)
  const { clusterDir, socketDir, uid } = placement
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
  await untilReady(child, placement)
  child.unref()
  return () => stopProcess(child.pid ?? 0)
}

async function untilReady(child: ChildProcess, placement: Placement): Promise<void> {
  let failed: Error | undefined
  let ended: number | null | undefined
  child.once('error', (cause) => (failed = cause))
  child.once('exit', (code) => (ended = code))
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; await delay(POLL_MS)) {
    if (failed !== undefined) throw failed
    if (ended !== undefined) {
      const log = readFileSync(`${placement.clusterDir}.log`, 'utf8').slice(-2_000)
      throw new Error(`PostgreSQL ended at start with code ${ended}: ${log}`)
    }
    const file = readPidFile(placement)
    if (file?.pid === child.pid && file?.status === 'ready') return
  }
  child.kill('SIGQUIT')
  throw new Error(
    `PostgreSQL was not ready after ${START_TIMEOUT_MS / 1_000} s: see ${placement.clusterDir}.log`,
  )
}

// Lines of postmaster.pid: 1 process id, 5 socket folder, 8 status.
function readPidFile({ clusterDir }: Placement): { pid: number; status: string } | null {
  try {
    const lines = readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8').split('\n')
    return { pid: Number(lines[0]), status: lines[7]?.trim() ?? '' }
  } catch {
    return null
  }
}

async function findRunning(placement: Placement): Promise<number | null> {
  const file = readPidFile(placement)
  if (file === null || !isAlive(file.pid)) return null
  const client = new Client({ host: placement.socketDir, user: 'postgres', database: 'postgres' })
  try {
    await client.connect()
    const { rows } = await client.query<{ dir: string }>("select current_setting('data_directory') as dir")
    return rows[0]?.dir === placement.clusterDir ? file.pid : null
  } catch {
    return null
  } finally {
    await client.end().catch(() => undefined)
  }
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

// SIGINT is the fast shutdown of PostgreSQL: it ends sessions and writes a checkpoint.
async function stopProcess(pid: number): Promise<void> {
  if (!isAlive(pid)) return
  process.kill(pid, 'SIGINT')
  for (const deadline = Date.now() + STOP_TIMEOUT_MS; Date.now() < deadline; await delay(POLL_MS)) {
    if (!isAlive(pid)) return
  }
  process.kill(pid, 'SIGQUIT')
}
