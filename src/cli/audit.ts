import { Command } from 'commander'
import { audit } from '../ledger/audit/audit.ts'
import type { Difference } from '../ledger/audit/findings.ts'
import { ledgerReading, openWorkspace } from './workspace.ts'

export function auditCommand(): Command {
  return new Command('audit').action(async (_, command: Command) => {
    await using workspace = await openWorkspace(command)
    const report = await audit(ledgerReading(workspace))
    const { accounts, transactions, events, differences, unreadable } = report
    workspace.output.result(report, [
      ...unreadable.map(({ kind, signature, pda, reason }) => `${kind} ${pda ?? signature}: ${reason}`),
      ...differences.map(describe),
      `${accounts} accounts, ${transactions} transactions and ${events} events compared: ${differences.length} differences`,
    ])
    if (differences.length > 0) process.exitCode = 1
  })
}

function describe({ table, key, field, ledger, database }: Difference): string {
  return `${table} ${key} ${field}: ledger ${shown(ledger)}, database ${shown(database)}`
}

const shown = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value))
