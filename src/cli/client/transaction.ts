import { Command } from 'commander'
import { createOutput } from '../output.ts'
import { addUrl, connect, use } from './connect.ts'
import { finish, showing } from './send.ts'
import { unfinishedTransactions } from './unfinished.ts'

/** Transactions whose command ended before their outcome was known. */
export function transactionCommand(): Command {
  return new Command('transaction').addCommand(listCommand()).addCommand(resumeCommand())
}

function listCommand(): Command {
  return new Command('list')
    .description('list the unfinished transactions of DATA_DIR')
    .action((_, command: Command) => {
      const transactions = unfinishedTransactions()
        .list()
        .map(({ id, wallet, url, signature, lastValidBlockHeight }) => ({
          id,
          wallet,
          url,
          signature,
          lastValidBlockHeight,
        }))
      createOutput(command.optsWithGlobals().json === true).result({ transactions }, [
        ...transactions.map(({ id, wallet, url }) => `${id}  of ${wallet}  at ${url}`),
        `${transactions.length} unfinished`,
      ])
    })
}

function resumeCommand(): Command {
  return addUrl(new Command('resume'))
    .description('find the outcome of a signed transaction; sends the same transaction if it is needed')
    .argument('<id>', 'id of the transaction')
    .action(async (id: string, _, command: Command) => {
      const stored = unfinishedTransactions().find(id)
      const { registry, output } = connect(command, stored?.url)
      const { status, signature } = await use(() =>
        finish(
          () => registry.transactions.resume(stored ?? id, { onProgress: showing(output) }),
          () => id,
        ),
      )
      output.result({ id, status, signature }, [`${status}: signature ${signature}`])
    })
}
