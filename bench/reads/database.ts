import { readFileSync, rmSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { Client, escapeIdentifier } from 'pg'
import { startEmbeddedPostgres } from '../../src/db/embedded/postgres.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openOrm } from '../../src/db/orm.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import type { Orm } from '../../src/db/orm-types.ts'

export interface BenchDatabase {
  readonly orm: Orm
  readonly url: string
  /** Of its server. Null with DATABASE_URL. */
  readonly pid: number | null
  drop(): Promise<void>
}

/**
 * Nice value of a database that runs in the background: other processes get the processors first,
 * as if the database had its own machine.
 */
const BACKGROUND = 10
const DUPLICATE_DATABASE = '42P04'

interface Options {
  readonly inBackground?: boolean
  /** Folder of an embedded server that stays, with its data. */
  readonly keepIn?: string
}

/** With BENCH_KEEP_DIR, the database of a bench is kept there for its next run. */
export function keptOptions(name: string): Options {
  const folder = process.env.BENCH_KEEP_DIR
  return folder === undefined ? {} : { keepIn: join(folder, name) }
}

/**
 * A new migrated database on the server of DATABASE_URL, or on a temporary embedded server, which
 * may run in the background.
 */
export async function openBenchDatabase({
  inBackground = false,
  keepIn,
}: Options = {}): Promise<BenchDatabase> {
  const { server, pid, stop } =
    keepIn === undefined ? await startServer(inBackground) : await startEmbedded(keepIn, inBackground)
  const name = keepIn === undefined ? `gateway_bench_${process.pid}` : 'gateway_bench'
  const administer = async (statement: string): Promise<void> => {
    const client = new Client({ connectionString: server })
    await client.connect()
    try {
      await client.query(statement)
    } finally {
      await client.end()
    }
  }
  await administer(`create database ${escapeIdentifier(name)}`).catch((error: { code?: string }) => {
    if (keepIn === undefined || error.code !== DUPLICATE_DATABASE) throw error
  })
  const url = new URL(server)
  url.pathname = `/${name}`
  const orm = await openOrm({ url: url.href }, { statementTimeoutMs: 300_000 })
  await migrate(orm)
  return {
    orm,
    url: url.href,
    pid,
    drop: async () => {
      await orm.close()
      if (keepIn === undefined) await administer(`drop database ${escapeIdentifier(name)} with (force)`)
      await stop()
    },
  }
}

interface StartedServer {
  readonly server: string
  readonly pid: number | null
  readonly stop: () => Promise<void>
}

async function startServer(inBackground: boolean): Promise<StartedServer> {
  const given = process.env.DATABASE_URL
  if (given !== undefined && given !== '') return { server: given, pid: null, stop: async () => undefined }
  const dataDir = temporaryFolder('gateway-bench-')
  const { server, pid, stop } = await startEmbedded(dataDir, inBackground)
  return {
    server,
    pid,
    stop: async () => {
      await stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function startEmbedded(dataDir: string, inBackground: boolean): Promise<StartedServer> {
  const postgres = await startEmbeddedPostgres({ dataDir, logger: { info: () => undefined } })
  const { host, user } = postgres.connection
  // New connections inherit it.
  const pid = postmasterOf(dataDir)
  if (inBackground) setPriority(pid, BACKGROUND)
  const server = `postgresql:///postgres?host=${encodeURIComponent(host)}&user=${user}`
  return { server, pid, stop: () => postgres.stop() }
}

function postmasterOf(dataDir: string): number {
  return Number.parseInt(readFileSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8'), 10)
}
