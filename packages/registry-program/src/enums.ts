/** Values of the program's enums, in the order of their numbers on chain. */
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

/** Reputation is a number from 0 to this limit. */
export const MAX_REPUTATION = 1000
/** The base units in 1 USDC, which has six decimals. */
export const USDC_UNIT = 1_000_000n
