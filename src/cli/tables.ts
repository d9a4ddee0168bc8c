import { Command } from 'commander'
import { startDatabase } from '../compose/database.ts'
import { isGatewayRunning } from '../compose/runtime-file.ts'
import { readConfig } from '../platform/config/config.ts'
import { createCommandLogger } from '../platform/logger.ts'
import { outputOf } from './output.ts'
import { audit } from '../ledger/audit/audit.ts'
import type { Difference } from '../ledger/audit/findings.ts'
import { openWorkspace } from './workspace.ts'
import { webhookSink } from '../webhooks/enqueue.ts'
import { rebuild } from '../ledger/audit/rebuild.ts'

export function migrateCommand(): Command {
  return new Command('migrate').action(async (_, command: Command) => {
    const { config } = readConfig(process.env)
    const keepServer = isGatewayRunning(config.dataDir)
    const database = await startDatabase(config, createCommandLogger(), { keepServer })
    try {
      outputOf(command).result({ migrated: true, applied: database.applied }, [
        database.applied.length === 0 ? 'nothing to apply' : `applied ${database.applied.join(', ')}`,
      ])
    } finally {
      await database.stop()
    }
  })
}

export function auditCommand(): Command {
  return new Command('audit').action(async (_, command: Command) => {
    await using workspace = await openWorkspace(command)
    const report = await audit(workspace.reading)
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

export function rebuildCommand(): Command {
  return new Command('rebuild')
    .option('--allow-loss', 'also delete finalized transactions that no ledger node has any more')
    .action(async ({ allowLoss = false }: { allowLoss?: boolean }, command: Command) => {
      await using workspace = await openWorkspace(command)
      const report = await rebuild({ ...workspace.reading, sink: webhookSink, allowLoss })
      workspace.output.result(report, [
        `rebuilt: ${report.transactions} transactions, ${report.events} events`,
      ])
    })
}
