import { Command } from 'commander'
import { readWebhookStats } from '../webhooks/metrics.ts'
import { openDatabaseWorkspace } from './workspace.ts'
import type { EventsOptions, RegistryEvent } from '@agent-registry/client'
import { jsonText } from '../ledger/decode/values.ts'
import { newSecret } from '../webhooks/secret-box.ts'
import { signDelivery, signStandard } from '../webhooks/send.ts'
import { asInteger } from './registry/options.ts'
import { connect, use } from './connect.ts'
import { outputOf } from './output.ts'

export function webhooksCommand(): Command {
  const webhooks = new Command('webhooks')
  webhooks
    .command('stats')
    .description(
      'show subscriptions, waiting deliveries, the age of the oldest due delivery, and attempts of the last hour',
    )
    .action(async (_, command: Command) => {
      await using workspace = await openDatabaseWorkspace(command)
      const stats = await readWebhookStats(workspace.em.getKysely())
      const { subscriptions, deliveries, dueAge, lastHour } = stats
      workspace.output.result(stats, [
        `subscriptions: ${listed(subscriptions)}`,
        `deliveries: ${listed(deliveries)}`,
        `oldest due: ${listed({ pending: seconds(dueAge.pending), retrying: seconds(dueAge.retrying) })}`,
        `attempts of the last hour: ${listed(lastHour)}`,
      ])
    })
  return webhooks.addCommand(listenCommand())
}

const seconds = (age: number | null): string => (age === null ? 'none' : `${age} s`)

function listed(counts: object): string {
  const entries = Object.entries(counts).map(([name, count]) => `${name} ${count}`)
  return entries.length === 0 ? 'none' : entries.join(', ')
}

interface ListenOptions {
  readonly forwardTo: string
  readonly types?: string
  readonly secret?: string
  readonly count?: number
}

/** Sends live events to a local receiver, signed like webhooks. It needs no public address. */
function listenCommand(): Command {
  return new Command('listen')
    .description('send the events of a gateway to a receiver on this machine, signed like webhooks')
    .option('--url <base>', 'base URL of the gateway; default: the one that runs on this machine')
    .requiredOption('--forward-to <url>', 'URL of the receiver, such as http://localhost:4000/hook')
    .option('--types <list>', 'only these types, separated by commas; the gateway refuses unknown ones')
    .option('--secret <secret>', 'secret of the signatures; default: a new one, which is printed')
    .option('--count <n>', 'stop after this many events', asInteger(1, 1_000_000))
    .action(async (options: ListenOptions, command: Command) => {
      const { forwardTo, types, secret = newSecret() } = options
      const [registry, output] = [connect(command), outputOf(command)]
      let isOpen = false
      const onOpen = (): void => {
        if (!isOpen)
          output.result({ secret, forwardTo }, [
            `secret ${secret}`,
            `waiting for events, sent to ${forwardTo}`,
          ])
        isOpen = true
      }
      await use(async () => {
        // Fails if there is no gateway. Later, the events wait for one that comes back.
        await registry.call('getInfo', {})
        let left = options.count ?? Infinity
        const filter = { types: types?.split(',') as EventsOptions['types'] }
        for await (const event of registry.events({ ...filter, onOpen })) {
          const status = await forward(event, forwardTo, secret)
          output.result({ id: event.id, type: event.type, status }, [
            `${event.type}  ${event.id}  ${status ?? 'not reached'}`,
          ])
          left -= 1
          if (left <= 0) break
        }
      })
    })
}

/** Sends one event. Null if the receiver did not respond. */
async function forward(
  { id, type, agentPda, slot, timestamp, data }: RegistryEvent,
  url: string,
  secret: string,
): Promise<number | null> {
  const body = jsonText({ id, type, pda: agentPda, slot, timestamp, data })
  const seconds = Math.floor(Date.now() / 1_000)
  const signed = { secret, timestamp: seconds, body }
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-service-event': type,
        'x-service-timestamp': String(seconds),
        'x-service-signature': signDelivery(signed),
        'webhook-id': id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': signStandard({ ...signed, id }),
      },
      body,
    })
    await response.body?.cancel()
    return response.status
  } catch {
    return null
  }
}
