import { rmSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../../src/db/embedded/postgres.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openOrm } from '../../src/db/orm.ts'
import { connectionTo, createDatabase, dropDatabase, type Server } from './database-server.ts'
import { memoryFolder, temporaryFolder } from './temporary-folder.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    databaseServer: Server
    templateDatabase: string
  }
}

const silent = { info: () => undefined }

/** One server and one migrated template for the whole run; test files clone the template. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Workers inherit it, so that all temporary files of this run are in one folder. The name is
  // short, because paths of sockets are limited.
  const temporary = temporaryFolder('gw-')
  process.env.TMPDIR = temporary
  const { server, stop } = await startServer()
  const template = `gateway_template_${process.pid}`
  await createDatabase(server, template)
  const orm = await openOrm(connectionTo(server, template))
  await migrate(orm)
  await orm.close()
  project.provide('databaseServer', server)
  project.provide('templateDatabase', template)
  return async () => {
    await dropDatabase(server, template)
    await stop()
    rmSync(temporary, { recursive: true, force: true })
  }
}

async function startServer(): Promise<{ server: Server; stop: () => Promise<void> }> {
  const url = process.env.DATABASE_URL
  if (url !== undefined && url !== '') return { server: { url }, stop: async () => undefined }
  const dataDir = temporaryFolder('gateway-test-', memoryFolder())
  const postgres = await startEmbeddedPostgres({
    dataDir,
    logger: silent,
    settings: ['fsync=off', 'full_page_writes=off', 'max_connections=200', 'max_wal_size=256MB'],
  })
  const { host, user } = postgres.connection
  const stop = async (): Promise<void> => {
    await postgres.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { server: { host, user }, stop }
}
