import { webhookSink } from '../webhooks/enqueue.ts'
import { Command } from 'commander'
import { rebuild } from '../ledger/audit/rebuild.ts'
import { ledgerReading, openWorkspace } from './workspace.ts'

export function rebuildCommand(): Command {
  return new Command('rebuild')
    .option('--allow-loss', 'also delete finalized transactions that no ledger node has any more')
    .action(async ({ allowLoss = false }: { allowLoss?: boolean }, command: Command) => {
      await using workspace = await openWorkspace(command)
      const report = await rebuild({ ...ledgerReading(workspace), sink: webhookSink, allowLoss })
      workspace.output.result(report, [
        `rebuilt: ${report.transactions} transactions, ${report.events} events`,
      ])
    })
}
