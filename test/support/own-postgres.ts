import { rmSync } from 'node:fs'
import { startEmbeddedPostgres } from '../../src/db/embedded/postgres.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openOrm } from '../../src/db/orm.ts'
import { databaseUrl } from './database-server.ts'
import { silentLogger } from './ledger/indexer.ts'
import { memoryFolder, temporaryFolder } from './temporary-folder.ts'

/** A PostgreSQL server with a migrated database that the test can stop, kill and start again. */
export async function startOwnPostgres({ settings = ['fsync=off'], inMemory = false } = {}) {
  const dataDir = temporaryFolder('gateway-postgres-', inMemory ? memoryFolder() : undefined)
  const server = { dataDir, logger: silentLogger, settings }
  let postgres = await startEmbeddedPostgres(server)
  const { connection } = postgres
  const orm = await openOrm(connection)
  await migrate(orm)
  return {
    dataDir,
    connection,
    url: databaseUrl(connection),
    orm,
    stop: () => postgres.stop(),
    /** Starts the server again at the same address, after its death or an end of its process. */
    restart: () => postgres.restart(),
    start: async (): Promise<void> => {
      postgres = await startEmbeddedPostgres(server)
    },
    close: async (): Promise<void> => {
      await orm.close()
      await postgres.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
