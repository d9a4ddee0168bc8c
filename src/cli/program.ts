import { Command } from 'commander'
import { loadEnvFile } from '../platform/config/env-file.ts'
import { misspelledSettings } from '../platform/config/misspelled-settings.ts'
import { formatFatalError } from '../platform/process/operator-error.ts'
import { auditCommand } from './audit.ts'
import { credentialCommand } from './credential.ts'
import { demoCommand } from './demo.ts'
import { issuerCommand } from './issuer.ts'
import { inviteCommand } from './invite.ts'
import { keygenCommand } from './keygen.ts'
import { localnetCommand } from './localnet.ts'
import { migrateCommand } from './migrate.ts'
import { rebuildCommand } from './rebuild.ts'
import { registryCommand } from './registry/command.ts'
import { signCommand } from './sign.ts'
import { webhooksCommand } from './webhooks.ts'

const COMMANDS = [
  migrateCommand,
  auditCommand,
  rebuildCommand,
  inviteCommand,
  keygenCommand,
  signCommand,
  localnetCommand,
  registryCommand,
  webhooksCommand,
  issuerCommand,
  credentialCommand,
  demoCommand,
]

export function createProgram(): Command {
  const program = new Command('npm run cli --')
    .description(
      'Command line for operators of the Agent Registry Gateway. It uses the settings of the service.',
    )
    .option('--json', 'print one JSON document')
    .showHelpAfterError()
  for (const createCommand of COMMANDS) program.addCommand(createCommand().copyInheritedSettings(program))
  return program
}

export async function runProgram(): Promise<void> {
  try {
    loadEnvFile()
    for (const warning of misspelledSettings(process.env)) process.stderr.write(`warning: ${warning}\n`)
    await createProgram().parseAsync()
  } catch (error) {
    process.stderr.write(`${formatFatalError(error)}\n`)
    process.exitCode = 1
  }
}
