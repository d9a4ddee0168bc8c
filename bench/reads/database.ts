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
  drop(): Promise<void>
}

/**
 * Nice value of a database that runs in the background: other processes get the processors first,
 * as if the database had its own machine.
 */
const BACKGROUND = 10

/**
 * A new migrated database on the server of DATABASE_URL, or on a temporary embedded server, which
 * may run in the background.
 */
export async function openBenchDatabase({ inBackground = false } = {}): Promise<BenchDatabase> {
  const { server, stop } = await startServer(inBackground)
  const name = `gateway_bench_${process.pid}`
  const administer = async (statement: string): Promise<void> => {
    const client = new Client({ connectionString: server })
    await client.connect()
    try {
      await client.query(statement)
    } finally {
      await client.end()
    }
  }
  await administer(`create database ${escapeIdentifier(name)}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const orm = await openOrm({ url: url.href }, { statementTimeoutMs: 300_000 })
  await migrate(orm)
  return {
    orm,
    url: url.href,
    drop: async () => {
      await orm.close()
      await administer(`drop database ${escapeIdentifier(name)} with (force)`)
      await stop()
    },
  }
}

async function startServer(inBackground: boolean): Promise<{ server: string; stop: () => Promise<void> }> {
  const given = process.env.DATABASE_URL
  if (given !== undefined && given !== '') return { server: given, stop: async () => undefined }
  const dataDir = temporaryFolder('gateway-bench-')
  const postgres = await startEmbeddedPostgres({ dataDir, logger: { info: () => undefined } })
  const { host, user } = postgres.connection
  // New connections inherit it.
  if (inBackground) setPriority(postmasterOf(dataDir), BACKGROUND)
  const server = `postgresql:///postgres?host=${encodeURIComponent(host)}&user=${user}`
  return {
    server,
    stop: async () => {
      await postgres.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function postmasterOf(dataDir: string): number {
  return Number.parseInt(readFileSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8'), 10)
}
