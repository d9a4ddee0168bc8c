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
    'Users have commands for any gateway: `agents`, `agent`, `register`, `deposit`, `withdraw`, `complete-withdrawal`, `transaction resume` and `list`, `events tail` and `webhooks listen`, `trigger` and `deliveries`. They use only the public interfaces of the gateway at `--url`, or of the one that runs on this machine:',
    codeBlock(
      'bash',
      'npm run cli -- agents --tier premium --url https://registry.example\nnpm run cli -- webhooks listen --forward-to http://localhost:4000/hook',
    ),
    '`webhooks listen` receives live events and sends them to a receiver on this machine, signed with a secret that it prints. The receiver needs no public address and no wallet. Commands that send a transaction sign nothing that they did not check: see the [client](../../packages/client/README.md).',
    'From the signature until its outcome is known, such a transaction is a file in `DATA_DIR/unfinished` that only you can read. Its id and signature are printed to standard error at once. If the command is killed, or ends with exit code 3 because the gateway did not tell the outcome, do not send it again: `transaction resume ID` finds the outcome, and sends the same transaction if the gateway does not have it. Until then the wallet signs no other transaction. `registry` commands print the signature too, and exit with code 3 if the node did not tell the outcome.',
    'The other commands are for the operator of a gateway. Run them in the folder of the gateway:',
    codeBlock('bash', 'npm run cli -- invite create --uses 10'),
    'Such a command uses the same [settings](settings.md) as the service. If a gateway runs on the same `DATA_DIR`, the command uses its database and its ledger. Otherwise the command starts the embedded parts and stops them at the end.',
    'With `--json` a command prints one JSON document, or one a line for events. If a command fails, it prints the reason to standard error and exits with code 1, or with code 3 if the outcome of a signed transaction is not known; with `--json` as a JSON document with `error`, and with `code` and `status` if a gateway refused the request. `audit` also exits with code 1 if it finds a difference. Use `npm run -s` to hide the lines that npm prints.',
    codeBlock('text', program.helpInformation()),
    ...program.commands.flatMap((each) => sections(each, [each.name()])),
  )
}
