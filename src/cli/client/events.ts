import { Command } from 'commander'
import { jsonText } from '../../ledger/decode/values.ts'
import { asInteger } from '../registry/options.ts'
import { addUrl, connect, typesOf, use } from './connect.ts'

interface TailOptions {
  readonly types?: string
  readonly agent?: string
  readonly after?: string
  readonly count?: number
}

/** Live events of a running gateway. */
export function eventsCommand(): Command {
  return new Command('events').addCommand(
    addUrl(new Command('tail'))
      .description('print events as they happen, one a line; Ctrl-C stops it')
      .option('--types <list>', 'only these types, separated by commas')
      .option('--agent <pda>', 'only events of this agent')
      .option('--after <id>', 'continue after this event')
      .option('--count <n>', 'stop after this many events', asInteger(1, 1_000_000))
      .action(async ({ types, agent, after, count }: TailOptions, command: Command) => {
        const { registry, output } = connect(command)
        const events = registry.events({
          ...typesOf(types),
          ...(agent === undefined ? {} : { agent }),
          ...(after === undefined ? {} : { after }),
        })
        await use(async () => {
          let left = count ?? Infinity
          for await (const event of events) {
            const { id, timestamp, type, agentPda, data } = event
            output.result(event, [`${timestamp}  ${type}  ${agentPda}  ${id}  ${jsonText(data)}`])
            left -= 1
            if (left <= 0) break
          }
        })
      }),
  )
}
