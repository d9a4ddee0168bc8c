/** Values of the registry program's enums, in the order of their on-chain numbers (program/idl.json). */
export const TIERS = ['observer', 'basic', 'standard', 'premium'] as const
export const AGENT_STATUSES = ['active', 'suspended', 'deactivated'] as const
export const SERVICE_CATEGORIES = [
  'commerce',
  'dataAnalysis',
  'contentCreation',
  'customerService',
  'financial',
  'logistics',
  'development',
  'research',
  'other',
] as const

export type Tier = (typeof TIERS)[number]
export type AgentStatus = (typeof AGENT_STATUSES)[number]
export type ServiceCategory = (typeof SERVICE_CATEGORIES)[number]

/** Reputation lies between 0 and this number, both included. */
export const MAX_REPUTATION = 1000
/** USDC has six decimals: 1 USDC is this many base units. */
export const USDC_UNIT = 1_000_000n
