import { type ServiceCategory, USDC_UNIT } from '@agent-registry/program'
/** What the seed registers. Days count from 0, the first of SAMPLE_DAYS; the last one is today. */
export interface SampleAgent {
  name: string
  category: ServiceCategory
  version: string
  /** Bit mask of the registry's capabilities. */
  capabilities: bigint
  registeredOnDay: number
  /** USDC base units put into the vault; 0n for none. */
  deposit: bigint
  /** Delta of the report on each day after the registration, before the program's caps. */
  dailyDelta: number
  fate: 'active' | 'suspendedByOwner' | 'suspendedByAdmin' | 'deactivated' | 'withdrawing'
}

export const SAMPLE_DAYS = 8

const NAMES = [
  'Atlas Freight',
  'Beacon Research',
  'Cedar Ledger',
  'Delta Courier',
  'Ember Support',
  'Fathom Analytics',
  'Granite Custody',
  'Harbor Trade',
  'Iris Copywriter',
  'Juniper Logistics',
  'Kestrel Auditor',
  'Lumen Translator',
  'Meridian Markets',
  'Nimbus Devops',
  'Orchard Concierge',
  'Pilot Procurement',
  'Quarry Data',
  'Relay Scheduler',
  'Summit Underwriter',
  'Tundra Forecast',
  'Umber Illustrator',
  'Vertex Code Review',
  'Willow Helpdesk',
  'Zephyr Routing',
]

const CATEGORIES: ServiceCategory[] = [
  'logistics',
  'research',
  'financial',
  'logistics',
  'customerService',
  'dataAnalysis',
  'financial',
  'commerce',
  'contentCreation',
  'logistics',
  'financial',
  'contentCreation',
  'commerce',
  'development',
  'customerService',
  'commerce',
  'dataAnalysis',
  'other',
  'financial',
  'research',
  'contentCreation',
  'development',
  'customerService',
  'logistics',
]

const DEPOSITS = [0n, 100n, 500n, 1_000n, 250n, 0n, 2_500n, 600n]
const DELTAS = [45, -20, 12, 50, -35, 0, 30, -8, 50, 22]
const FATES: Record<number, SampleAgent['fate']> = {
  4: 'suspendedByOwner',
  9: 'suspendedByAdmin',
  15: 'deactivated',
  18: 'withdrawing',
  21: 'suspendedByOwner',
}

/** Sample agent `index`, the same on every machine; beyond the named ones a number is added. */
export function sampleAgent(index: number): SampleAgent {
  const round = Math.floor(index / NAMES.length)
  const name = NAMES[index % NAMES.length] ?? ''
  return {
    name: round === 0 ? name : `${name} ${round + 1}`,
    category: CATEGORIES[index % CATEGORIES.length] ?? 'other',
    version: `${1 + (index % 3)}.${index % 7}.${(index * 5) % 10}`,
    capabilities: BigInt((index * 11) % 64),
    registeredOnDay: index % (SAMPLE_DAYS - 1),
    deposit: (DEPOSITS[index % DEPOSITS.length] ?? 0n) * USDC_UNIT,
    dailyDelta: DELTAS[index % DELTAS.length] ?? 0,
    fate: FATES[index % NAMES.length] ?? 'active',
  }
}
