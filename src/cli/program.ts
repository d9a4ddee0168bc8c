import { Command, CommanderError } from 'commander'
import { loadEnvFile } from '../platform/config/env-file.ts'
import { visible } from '../domain/quoted.ts'
import { formatFatalError } from '../platform/process/operator-error.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { CommandError } from './output.ts'
import { COMMANDS } from './commands.ts'

/**
 * Loads the commands that `args` names. The others have only a name and a description. Parsing
 * throws CommanderError for wrong arguments, after it printed them unless `json` is true.
 */
export async function createProgram(args: readonly string[], { json = false } = {}): Promise<Command> {
  const program = new Command('npm run cli --')
    .description('Command line of the Agent Registry Gateway. Commands use the settings of the service.')
    .version(packageJson.version)
    .option('--json', 'print one JSON document')
    .showHelpAfterError()
    .exitOverride()
    .configureOutput(json ? { writeErr: () => undefined } : {})
  for (const [name, { description, load }] of Object.entries(COMMANDS)) {
    const command = args.includes(name) ? (await load())() : new Command(name)
    program.addCommand(withSettings(command.description(description), program))
  }
  // Without the arguments of commands, which are known only for loaded ones.
  return program.configureHelp({ subcommandTerm: (command) => command.name() })
}

/** The command and its subcommands, which exist before it has a parent. */
function withSettings(command: Command, parent: Command): Command {
  for (const each of command.copyInheritedSettings(parent).commands) withSettings(each, command)
  return command
}

export async function runProgram(): Promise<void> {
  const args = process.argv.slice(2)
  const json = args.includes('--json')
  try {
    loadEnvFile()
    const program = await createProgram(args, { json })
    await program.hook('preAction', warnAboutSettings).parseAsync()
  } catch (error) {
    const text = errorText(error, json)
    if (text !== null) process.stderr.write(`${text}\n`)
    process.exitCode = exitCodeOf(error)
  }
}

async function warnAboutSettings(): Promise<void> {
  const { misspelledSettings } = await import('../platform/config/config.ts')
  for (const warning of misspelledSettings(process.env)) process.stderr.write(`warning: ${warning}\n`)
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
