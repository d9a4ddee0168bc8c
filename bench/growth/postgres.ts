import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { freePort } from '../support/free-port.ts'

/** The programs of Debian's PostgreSQL. The embedded one has no pg_basebackup. */
const BIN = process.env.BENCH_POSTGRES_BIN ?? globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1) ?? ''
const PGBOUNCER = process.env.BENCH_PGBOUNCER ?? '/usr/sbin/pgbouncer'
/** PostgreSQL and PgBouncer do not run as root. */
const NOBODY = 65_534
const USER = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
const ANSWER_MS = 100

export const hasPostgres = existsSync(join(BIN, 'pg_basebackup'))
export const hasPgbouncer = existsSync(PGBOUNCER)

export interface Server {
  readonly pid: number
  readonly port: number
  readonly url: string
  stop(): Promise<void>
}

export async function startPrimary(folder: string): Promise<Server> {
  const data = privateFolder(folder, 'primary')
  run('initdb', '-D', data, '-U', 'bench', '--auth=trust', '--locale=C', '--lc-ctype=C.UTF-8', '-E', 'UTF8')
  return startPostgres(data)
}

/** A copy of the primary that follows it. Commits wait for it only if the primary is told so. */
export async function startStandby(folder: string, primary: Server): Promise<Server> {
  const data = privateFolder(folder, 'standby')
  run('pg_basebackup', '-D', data, '-d', `${primary.url}?application_name=standby`, '-R', '-c', 'fast')
  return startPostgres(data)
}

/** PgBouncer in session mode with the settings of docs/guides/scale.md. */
export async function startPgbouncer(folder: string, { port: serverPort }: Server): Promise<Server> {
  const port = await freePort()
  const home = privateFolder(folder, 'pgbouncer')
  const file = join(home, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
postgres = host=127.0.0.1 port=${serverPort} user=bench
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = session
default_pool_size = 50
ignore_startup_parameters = options
`,
  )
  return started(spawn(PGBOUNCER, ['-q', file], { ...USER, stdio: 'ignore' }), port)
}

async function startPostgres(data: string): Promise<Server> {
  const port = await freePort()
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'log_min_messages=fatal',
  ]
  const args = ['-D', data, ...settings.flatMap((each) => ['-c', each])]
  return started(spawn(join(BIN, 'postgres'), args, { ...USER, stdio: 'ignore' }), port)
}

async function started(child: ChildProcess, port: number): Promise<Server> {
  const url = `postgresql://bench@127.0.0.1:${port}/postgres`
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGINT')
    await once(child, 'exit')
  }
  process.once('exit', () => child.kill('SIGQUIT'))
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`a server on port ${port} ended with code ${child.exitCode}`)
    await delay(ANSWER_MS)
  }
  return { pid: child.pid ?? 0, port, url, stop }
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

function privateFolder(folder: string, name: string): string {
  const path = join(folder, name)
  mkdirSync(path, { mode: 0o700 })
  if (USER.uid !== undefined) chownSync(path, NOBODY, NOBODY)
  return path
}

function run(program: string, ...args: string[]): void {
  execFileSync(join(BIN, program), args, { ...USER, stdio: ['ignore', 'ignore', 'inherit'] })
}
