import { pino } from 'pino'
import { startGateway } from '../../src/compose/gateway.ts'
import { readRuntime } from '../../src/compose/runtime-file.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { createTestDatabase, urlOf } from './database.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** The real service with a localnet and a database. Faster than `createGatewayProcess`. */
export async function startGatewayInProcess(settings: Record<string, string> = {}) {
  const database = await createTestDatabase()
  const dataDir = temporaryFolder('gateway-')
  const env = { DATA_DIR: dataDir, DATABASE_URL: urlOf(database), PORT: '0', LOCALNET_PORT: '0', ...settings }
  const gateway = await startGateway({ ...readConfig(env), logger: pino({ level: 'silent' }) })
  const runtime = readRuntime(dataDir)
  if (runtime === null) throw new Error('the gateway wrote no runtime file')
  return {
    dataDir,
    runtime,
    database,
    /** The environment for commands that use this gateway. */
    env: env as NodeJS.ProcessEnv,
    remove: async () => {
      await gateway.stop()
      await database.drop()
    },
  }
}
