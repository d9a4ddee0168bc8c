import { Command } from 'commander'
import { configCommand } from './config.ts'
import { initCommand } from './init.ts'
import { reporterCommand } from './reporter.ts'
import { statusCommand } from './status.ts'

/** Sets up the registry program on any ledger. */
export function registryCommand(): Command {
  return new Command('registry')
    .addCommand(statusCommand())
    .addCommand(initCommand())
    .addCommand(reporterCommand())
    .addCommand(configCommand())
}
