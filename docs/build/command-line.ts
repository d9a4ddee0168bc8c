import type { Command } from 'commander'
import { createProgram } from '../../src/cli/program.ts'
import { codeBlock, page } from './markdown.ts'

const WIDTH = 100

/** A command, then its subcommands. `help` is built in and not listed. */
function sections(command: Command, names: readonly string[]): string[] {
  command.configureOutput({ getOutHelpWidth: () => WIDTH })
  return [
    `## ${names.join(' ')}`,
    codeBlock('text', command.helpInformation()),
    ...command.commands.flatMap((each) => sections(each, [...names, each.name()])),
  ]
}

export function commandLinePage(): string {
  const program = createProgram().configureOutput({ getOutHelpWidth: () => WIDTH })
  return page(
    '# Command line',
    'The command line is for the operator of a gateway. Run it in the folder of the gateway:',
    codeBlock('bash', 'npm run cli -- invite create --uses 10'),
    'A command uses the same [settings](settings.md) as the service. If a gateway runs on the same `DATA_DIR`, the command uses its database and its ledger. Otherwise the command starts the embedded parts and stops them at the end.',
    'With `--json` a command prints one JSON document. If a command fails, it prints the reason to standard error and exits with code 1. `audit` also exits with code 1 if it finds a difference. Use `npm run -s` to hide the lines that npm prints.',
    codeBlock('text', program.helpInformation()),
    ...program.commands.flatMap((each) => sections(each, [each.name()])),
  )
}
