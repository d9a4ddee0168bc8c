import { Command } from 'commander'
import { audit, type Difference } from '../audit/audit.ts'
import { openWorkspace } from './workspace.ts'

export function auditCommand(): Command {
  return new Command('audit')
    .description(
      'compare every registry account and event on the ledger with the tables, field by field; exit 1 on a difference',
    )
    .action(async (_, command: Command) => {
      await using workspace = await openWorkspace(command)
      const { orm, rpc, config, output } = workspace
      const { programId, commitment } = config.ledger
      const report = await audit({
        orm,
        rpc,
        programId,
        commitment,
        onProgress: ({ stage, done, total }) => output.progress(`${stage} ${done}/${total}`),
      })
      const { accounts, transactions, events, differences, unreadable } = report
      output.result(report, [
        ...unreadable.map(({ kind, signature, reason }) => `${kind} ${signature}: ${reason}`),
        ...differences.map(describe),
        `${accounts} accounts, ${transactions} transactions and ${events} events compared: ${differences.length} differences`,
      ])
      if (differences.length > 0) process.exitCode = 1
    })
}

function describe({ table, pda, field, ledger, database }: Difference): string {
  return `${table} ${pda} ${field}: ledger ${shown(ledger)}, database ${shown(database)}`
}

const shown = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value))
