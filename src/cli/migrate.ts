import { Command } from 'commander'
import { startDatabase } from '../compose/database.ts'
import { isGatewayRunning } from '../compose/runtime-file.ts'
import { readConfig } from '../platform/config/config.ts'
import { createCommandLogger } from '../platform/logger.ts'
import { createOutput } from './output.ts'

export function migrateCommand(): Command {
  return new Command('migrate').action(async (_, command: Command) => {
    const { config } = readConfig(process.env)
    const keepServer = isGatewayRunning(config.dataDir)
    const database = await startDatabase(config, createCommandLogger(), { keepServer })
    try {
      const output = createOutput(command.optsWithGlobals().json === true)
      output.result({ migrated: true, applied: database.applied }, [
        database.applied.length === 0 ? 'nothing to apply' : `applied ${database.applied.join(', ')}`,
      ])
    } finally {
      await database.stop()
    }
  })
}
