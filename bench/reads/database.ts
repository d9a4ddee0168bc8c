import { rmSync } from 'node:fs'
import { Client, escapeIdentifier } from 'pg'
import { startEmbeddedPostgres } from '../../src/db/embedded/postgres.ts'
import { migrate, openOrm, type Orm } from '../../src/db/orm.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'

export interface BenchDatabase {
  readonly orm: Orm
  readonly url: string
  drop(): Promise<void>
}

/** A migrated database of its own, on the server of DATABASE_URL or on an embedded one that is thrown away. */
export async function openBenchDatabase(): Promise<BenchDatabase> {
  const { server, stop } = await startServer()
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

async function startServer(): Promise<{ server: string; stop: () => Promise<void> }> {
  const given = process.env.DATABASE_URL
  if (given !== undefined && given !== '') return { server: given, stop: async () => undefined }
  const dataDir = temporaryFolder('gateway-bench-')
  const postgres = await startEmbeddedPostgres({ dataDir, logger: { info: () => undefined } })
  const { host, user } = postgres.connection
  const server = `postgresql:///postgres?host=${encodeURIComponent(host)}&user=${user}`
  return {
    server,
    stop: async () => {
      await postgres.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
