import { Command } from 'commander'
import { readWebhookStats } from '../webhooks/metrics.ts'
import { deliveriesCommand, listenCommand, triggerCommand } from './client/webhooks.ts'
import { openWorkspace } from './workspace.ts'

export function webhooksCommand(): Command {
  const webhooks = new Command('webhooks')
  webhooks
    .command('stats')
    .description(
      'show subscriptions, waiting deliveries, the age of the oldest due delivery, and attempts of the last hour',
    )
    .action(async (_, command: Command) => {
      await using workspace = await openWorkspace(command)
      const stats = await readWebhookStats(workspace.orm.em.getKysely())
      const { subscriptions, deliveries, dueAge, lastHour } = stats
      workspace.output.result(stats, [
        `subscriptions: ${listed(subscriptions)}`,
        `deliveries: ${listed(deliveries)}`,
        `oldest due: ${listed({ pending: seconds(dueAge.pending), retrying: seconds(dueAge.retrying) })}`,
        `attempts of the last hour: ${listed(lastHour)}`,
      ])
    })
  for (const create of [listenCommand, triggerCommand, deliveriesCommand]) webhooks.addCommand(create())
  return webhooks
}

const seconds = (age: number | null): string => (age === null ? 'none' : `${age} s`)

function listed(counts: object): string {
  const entries = Object.entries(counts).map(([name, count]) => `${name} ${count}`)
  return entries.length === 0 ? 'none' : entries.join(', ')
}
