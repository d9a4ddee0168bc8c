import type { Command } from 'commander'
import { startDatabase } from '../gateway/database.ts'
import { isGatewayRunning, lockDataDir } from '../gateway/runtime-file.ts'
import { readConfig } from '../platform/config/config.ts'
import type { EntityManager } from '../db/orm-types.ts'
import { createCommandLogger } from '../platform/logger.ts'
import { createOutput, type Output } from './output.ts'

/** For commands that need only the database. */
export interface DatabaseWorkspace extends AsyncDisposable {
  em: EntityManager
  output: Output
}

/** Opens the database of the service. A gateway that runs on DATA_DIR keeps running. */
export async function openDatabaseWorkspace(command: Command): Promise<DatabaseWorkspace> {
  const { config } = readConfig(process.env)
  const stack = new AsyncDisposableStack()
  try {
    const shared = isGatewayRunning(config.dataDir)
    if (!shared) stack.defer(lockDataDir(config.dataDir))
    const logger = createCommandLogger()
    const database = await startDatabase(config, logger, { keepServer: shared })
    stack.defer(() => database.stop())
    return {
      em: database.orm.em,
      output: createOutput(command.optsWithGlobals().json === true),
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}
