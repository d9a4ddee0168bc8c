import { Command } from 'commander'
import { ConfigError } from '../config/config.ts'
import { loadEnvFile } from '../config/env-file.ts'
import { KeypairError } from '../keys/keypair-file.ts'
import { LockHeldError } from '../process/pid-lock.ts'
import { auditCommand } from './audit.ts'
import { keygenCommand } from './keygen.ts'
import { localnetCommand } from './localnet.ts'
import { migrateCommand } from './migrate.ts'
import { rebuildCommand } from './rebuild.ts'
import { CommandError } from './command-error.ts'

const cli = new Command('npm run cli --')
  .description(
    "The operator's command line of the Agent Registry Gateway. Settings come from the environment, as for the service.",
  )
  .option('--json', 'answer with one JSON document on standard output')
  .showHelpAfterError()

for (const command of [migrateCommand, auditCommand, rebuildCommand, keygenCommand, localnetCommand]) {
  cli.addCommand(command().copyInheritedSettings(cli))
}

try {
  loadEnvFile()
  await cli.parseAsync()
} catch (error) {
  const expected = [CommandError, ConfigError, KeypairError, LockHeldError].some(
    (type) => error instanceof type,
  )
  const { message, stack } = error as Error
  process.stderr.write(`${expected ? message : (stack ?? message)}\n`)
  process.exitCode = 1
}
