import { Command, CommanderError } from 'commander'
import { loadEnvFile } from '../platform/config/env-file.ts'
import { visible } from '../domain/quoted.ts'
import { misspelledSettings } from '../platform/config/misspelled-settings.ts'
import { formatFatalError } from '../platform/process/operator-error.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { agentCommand, agentsCommand } from './client/agents.ts'
import { eventsCommand } from './client/events.ts'
import { registerCommand } from './client/register.ts'
import { completeWithdrawalCommand, depositCommand, withdrawCommand } from './client/stake.ts'
import { transactionCommand } from './client/transaction.ts'
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
  depositCommand,
  withdrawCommand,
  completeWithdrawalCommand,
  transactionCommand,
  eventsCommand,
]

/** Throws CommanderError for wrong arguments, after it printed them unless `json` is true. */
export function createProgram({ json = false } = {}): Command {
  const program = new Command('npm run cli --')
    .description(
      'Command line of the Agent Registry Gateway. Commands with --url use any gateway, the others the settings of the service.',
    )
    .version(packageJson.version)
    .option('--json', 'print one JSON document')
    .showHelpAfterError()
    .exitOverride()
    .configureOutput(json ? { writeErr: () => undefined } : {})
  for (const createCommand of COMMANDS) program.addCommand(withSettings(createCommand(), program))
  return program
}

/** The command and its subcommands, which exist before it has a parent. */
function withSettings(command: Command, parent: Command): Command {
  for (const each of command.copyInheritedSettings(parent).commands) withSettings(each, command)
  return command
}

export async function runProgram(): Promise<void> {
  const json = process.argv.includes('--json')
  try {
    loadEnvFile()
    for (const warning of misspelledSettings(process.env)) process.stderr.write(`warning: ${warning}\n`)
    await createProgram({ json }).parseAsync()
  } catch (error) {
    const text = errorText(error, json)
    if (text !== null) process.stderr.write(`${text}\n`)
    process.exitCode = exitCodeOf(error)
  }
}

export const exitCodeOf = (error: unknown): number =>
  error instanceof CommanderError || error instanceof CommandError ? error.exitCode : 1

/**
 * What is left to print for an error. Null for help, and for wrong arguments without `json`. The
 * JSON document has `error`, and the code and the status if a gateway refused the request.
 */
export function errorText(error: unknown, json: boolean): string | null {
  if (error instanceof CommanderError) {
    if (!json || error.exitCode === 0) return null
    const isHelp = error.code === 'commander.help'
    return JSON.stringify({ error: isHelp ? 'A command is missing' : error.message.replace(/^error: /, '') })
  }
  const text = formatFatalError(error)
  if (!json) return text.split('\n').map(visible).join('\n')
  return visible(JSON.stringify({ error: text, ...(error instanceof CommandError ? error.details : {}) }))
}
