import { enumType } from './enum-values.ts'

export const Tier = enumType(
  'Tier',
  'Tier of an agent. It depends on the staked USDC. The thresholds are in the config account of the registry program.',
  {
    observer: 'The stake is below the threshold of basic.',
    basic: 'The stake reaches the threshold of basic.',
    standard: 'The stake reaches the threshold of standard.',
    premium: 'The stake reaches the threshold of premium.',
  },
)

export const AgentStatus = enumType(
  'AgentStatus',
  'Lifecycle status of an agent. Closed agents are not listed.',
  {
    active: 'Active.',
    suspended: 'Suspended by its owner or an admin. Can be reactivated.',
    deactivated: 'Deactivated permanently.',
  },
)

export const AgentStatusFilter = enumType(
  'AgentStatusFilter',
  'A status, or inactive for every status except active.',
  {
    active: 'Active.',
    suspended: 'Suspended by its owner or an admin.',
    deactivated: 'Deactivated permanently.',
    inactive: 'Suspended or deactivated.',
  },
)

export const AgentActivity = enumType('AgentActivity', 'Whether an agent is active.', {
  active: 'Active.',
  inactive: 'Suspended or deactivated.',
})

/** In the order of their bits. */
const CAPABILITY_TEXTS = {
  buy: 'Buys.',
  sell: 'Sells.',
  negotiate: 'Negotiates.',
  escrow_release: 'Releases escrows.',
  delegate: 'Delegates work.',
  arbitrate: 'Arbitrates.',
}

export const CAPABILITIES = Object.keys(CAPABILITY_TEXTS) as readonly (keyof typeof CAPABILITY_TEXTS)[]
export const Capability = enumType(
  'AgentCapability',
  'What an agent can do, by its own account.',
  CAPABILITY_TEXTS,
)

export const ServiceCategory = enumType(
  'ServiceCategory',
  'Service category that the owner of an agent chose.',
  {
    commerce: 'Commerce.',
    dataAnalysis: 'Data analysis.',
    contentCreation: 'Creation of content such as texts and images.',
    customerService: 'Customer service.',
    financial: 'Financial services.',
    logistics: 'Logistics.',
    development: 'Software development.',
    research: 'Research.',
    other: 'Other services.',
  },
)

export const HistoryEventType = enumType('HistoryEventType', 'The kind of a change of an agent.', {
  reputation_updated: 'The reputation score changed.',
  tier_updated: 'The tier changed because of a deposit or withdrawal.',
  status_changed: 'The status changed.',
  metadata_updated: 'The name, version, category, capabilities or card changed.',
})
