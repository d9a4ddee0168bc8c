import { Command } from 'commander'
import type { Agent, Registry } from '@agent-registry/client'
import { asInteger } from '../registry/options.ts'
import { addUrl, connect, typesOf, use } from './connect.ts'
import { jsonText } from '../../ledger/decode/values.ts'

interface ListOptions {
  readonly tier?: Agent['tier']
  readonly category?: Agent['service_category']
  readonly name?: string
  readonly limit: number
}

export function agentsCommand(): Command {
  return addUrl(new Command('agents'))
    .option('--tier <tier>', 'only this tier')
    .option('--category <category>', 'only this service category')
    .option('--name <text>', 'search by name; the most similar first')
    .option('--limit <n>', 'at most this many, up to 200', asInteger(1, 200), 20)
    .action(async ({ tier, category, name, limit }: ListOptions, command: Command) => {
      const { registry, output } = connect(command)
      const sort = name === undefined ? 'reputation' : undefined
      const listing = registry.agents.list({ tier, category, name, sort, limit })
      const page = await use(() => listing.page())
      output.result(page, [...page.agents.map(describe), `${page.agents.length} of ${page.total}`])
    })
}

export function agentCommand(): Command {
  return addUrl(new Command('agent'))
    .argument('<key>', 'address of the agent, or the wallet of its owner')
    .action(async (key: string, _, command: Command) => {
      const { registry, output } = connect(command)
      const result = await use(async () => {
        const agent = await find(registry.agents, key)
        return { agent, credentials: await registry.credentials.list(agent.pda) }
      })
      const { agent, credentials } = result
      output.result(result, [
        ...Object.entries(agent).map(([name, value]) => `${name.padEnd(20)} ${value}`),
        ...credentials.map(
          ({ type, issuer, proof_verified }) =>
            `credential           ${type} by ${issuer}, ${proof_verified ? 'verified' : 'not verified'}`,
        ),
      ])
    })
}

/** The agent with this address, or of this wallet. */
async function find(agents: Registry['agents'], key: string): Promise<Agent> {
  const owned = await agents.ofOwner(key)
  return owned ?? agents.get(key)
}

function describe({ pda, name, tier, status, reputation_score }: Agent): string {
  return `${pda}  ${String(reputation_score).padStart(4)}  ${tier.padEnd(8)}  ${status.padEnd(11)}  ${name}`
}

interface TailOptions {
  readonly types?: string
  readonly agent?: string
  readonly after?: string
  readonly count?: number
}

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
        const events = registry.events({ ...typesOf(types), agent, after })
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
