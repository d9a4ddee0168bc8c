import { type ServiceCategory, USDC_UNIT } from '@agent-registry/program'

/** An agent that the seed registers. Day 0 is the first of SAMPLE_DAYS, the last day is today. */
export interface SampleAgent {
  name: string
  /** True if another sample agent has the same name without a number. */
  isCopy: boolean
  category: ServiceCategory
  version: string
  /** Bit mask of the registry's capabilities. */
  capabilities: bigint
  registeredOnDay: number
  /** USDC base units to deposit; 0n for no stake. */
  deposit: bigint
  /** Reputation change reported each day after registration, before the program's limits. */
  dailyDelta: number
  lifecycle: 'active' | 'suspendedByOwner' | 'suspendedByAdmin' | 'deactivated' | 'withdrawing'
}

export const SAMPLE_DAYS = 8

const AGENTS: readonly (readonly [name: string, category: ServiceCategory])[] = [
  ['Atlas Freight', 'logistics'],
  ['Beacon Research', 'research'],
  ['Cedar Ledger', 'financial'],
  ['Delta Courier', 'logistics'],
  ['Ember Support', 'customerService'],
  ['Fathom Analytics', 'dataAnalysis'],
  ['Granite Custody', 'financial'],
  ['Harbor Trade', 'commerce'],
  ['Iris Copywriter', 'contentCreation'],
  ['Juniper Logistics', 'logistics'],
  ['Kestrel Auditor', 'financial'],
  ['Lumen Translator', 'contentCreation'],
  ['Meridian Markets', 'commerce'],
  ['Nimbus Devops', 'development'],
  ['Orchard Concierge', 'customerService'],
  ['Pilot Procurement', 'commerce'],
  ['Quarry Data', 'dataAnalysis'],
  ['Relay Scheduler', 'other'],
  ['Summit Underwriter', 'financial'],
  ['Tundra Forecast', 'research'],
  ['Umber Illustrator', 'contentCreation'],
  ['Vertex Code Review', 'development'],
  ['Willow Helpdesk', 'customerService'],
  ['Zephyr Routing', 'logistics'],
]

const DEPOSITS = [0n, 100n, 500n, 1_000n, 250n, 0n, 2_500n, 600n]
const DELTAS = [45, -20, 12, 50, -35, 0, 30, -8, 50, 22]
const LIFECYCLES: Record<number, SampleAgent['lifecycle']> = {
  4: 'suspendedByOwner',
  9: 'suspendedByAdmin',
  15: 'deactivated',
  18: 'withdrawing',
  21: 'suspendedByOwner',
}

/** Sample agent number `index`, the same on every machine. Names repeat with a number. */
export function sampleAgent(index: number): SampleAgent {
  const round = Math.floor(index / AGENTS.length)
  const [name, category] = AGENTS[index % AGENTS.length]!
  return {
    name: round === 0 ? name : `${name} ${round + 1}`,
    isCopy: round > 0,
    category,
    version: `${1 + (index % 3)}.${index % 7}.${(index * 5) % 10}`,
    capabilities: BigInt((index * 11) % 64),
    registeredOnDay: index % (SAMPLE_DAYS - 1),
    deposit: (DEPOSITS[index % DEPOSITS.length] ?? 0n) * USDC_UNIT,
    dailyDelta: DELTAS[index % DELTAS.length] ?? 0,
    lifecycle: LIFECYCLES[index % AGENTS.length] ?? 'active',
  }
}

/** The address of a sample agent, which does not exist (RFC 2606). */
export function sampleHome(agent: SampleAgent): string {
  return `https://agents.example.org/${agent.name.toLowerCase().replaceAll(' ', '-')}`
}
