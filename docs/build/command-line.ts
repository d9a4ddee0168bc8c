import type { Command } from 'commander'
import { COMMANDS } from '../../src/cli/commands.ts'
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

export async function commandLinePage(): Promise<string> {
  const program = (await createProgram(Object.keys(COMMANDS))).configureOutput({
    getOutHelpWidth: () => WIDTH,
  })
  return page(
    '# Command line',
    'The commands are for the operator of a gateway. Run them in the folder of the gateway:',
    codeBlock('bash', 'npm run cli -- invite create --uses 10'),
    'A command uses the same [settings](settings.md) as the service. If a gateway runs on the same `DATA_DIR`, the command uses its database and its ledger. Otherwise the command starts the embedded parts and stops them at the end.',
    '`webhooks listen` is for everybody. It receives the live events of the gateway at `--url`, or of the one that runs on this machine, and sends them to a receiver on this machine, signed with a secret that it prints. The receiver needs no public address and no wallet:',
    codeBlock('bash', 'npm run cli -- webhooks listen --forward-to http://localhost:4000/hook'),
    '`registry` commands print the signature of a transaction to standard error at once, and exit with code 3 if the node did not tell its outcome: look whether it landed before you send it again.',
    'With `--json` a command prints one JSON document, or one a line for events. If a command fails, it prints the reason to standard error and exits with code 1, or with code 3 if the outcome of a signed transaction is not known; with `--json` as a JSON document with `error`, and with `code` and `status` if a gateway refused the request. `audit` also exits with code 1 if it finds a difference. Use `npm run -s` to hide the lines that npm prints.',
    codeBlock('text', program.helpInformation()),
    ...program.commands.flatMap((each) => sections(each, [each.name()])),
  )
}
