import { Command } from 'commander'
import { loadEnvFile } from '../platform/config/env-file.ts'
import { misspelledSettings } from '../platform/config/misspelled-settings.ts'
import { formatFatalError } from '../platform/process/operator-error.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { agentCommand, agentsCommand } from './client/agents.ts'
import { eventsCommand } from './client/events.ts'
import { registerCommand } from './client/register.ts'
import { auditCommand } from './audit.ts'
import { CommandError } from './command-error.ts'
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
  agentsCommand,
  agentCommand,
  registerCommand,
  eventsCommand,
]

export function createProgram(): Command {
  const program = new Command('npm run cli --')
    .description(
      'Command line of the Agent Registry Gateway. Commands with --url use any gateway, the others the settings of the service.',
    )
    .version(packageJson.version)
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
    process.stderr.write(`${process.argv.includes('--json') ? jsonError(error) : formatFatalError(error)}\n`)
    process.exitCode = 1
  }
}

/** The error for programs: always with `error`, with the code and the status of a gateway's error. */
export function jsonError(error: unknown): string {
  const details = error instanceof CommandError ? error.details : {}
  return JSON.stringify({ error: formatFatalError(error), ...details })
}
