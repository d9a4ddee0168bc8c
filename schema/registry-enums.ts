import { AGENT_STATUSES, SERVICE_CATEGORIES, TIERS } from '@agent-registry/program'
import { HISTORY_EVENT_TYPES } from '../src/domain/history-events.ts'
import { STATUS_FILTERS } from '../src/registry/agents/agent-filter.ts'
import { builder } from './builder.ts'
import { enumValues } from './enum-values.ts'

export const Tier = builder.enumType('Tier', {
  description:
    'Tier of an agent. It depends on the staked USDC. The thresholds are in the config account of the registry program.',
  values: enumValues(TIERS, {
    observer: 'The stake is below the threshold of basic.',
    basic: 'The stake reaches the threshold of basic.',
    standard: 'The stake reaches the threshold of standard.',
    premium: 'The stake reaches the threshold of premium.',
  }),
})

export const AgentStatus = builder.enumType('AgentStatus', {
  description: 'Lifecycle status of an agent. Closed agents are not listed.',
  values: enumValues(AGENT_STATUSES, {
    active: 'Active.',
    suspended: 'Suspended by its owner or an admin. Can be reactivated.',
    deactivated: 'Deactivated permanently.',
  }),
})

export const AgentStatusFilter = builder.enumType('AgentStatusFilter', {
  description: 'A status, or inactive for every status except active.',
  values: enumValues(STATUS_FILTERS, {
    active: 'Active.',
    suspended: 'Suspended by its owner or an admin.',
    deactivated: 'Deactivated permanently.',
    inactive: 'Suspended or deactivated.',
  }),
})

export const AgentActivity = builder.enumType('AgentActivity', {
  description: 'Whether an agent is active.',
  values: enumValues(['active', 'inactive'], { active: 'Active.', inactive: 'Suspended or deactivated.' }),
})

/** In the order of their bits. */
export const CAPABILITIES = ['buy', 'sell', 'negotiate', 'escrow_release', 'delegate', 'arbitrate'] as const

export const Capability = builder.enumType('AgentCapability', {
  description: 'What an agent can do, by its own account.',
  values: enumValues(CAPABILITIES, {
    buy: 'Buys.',
    sell: 'Sells.',
    negotiate: 'Negotiates.',
    escrow_release: 'Releases escrows.',
    delegate: 'Delegates work.',
    arbitrate: 'Arbitrates.',
  }),
})

export const ServiceCategory = builder.enumType('ServiceCategory', {
  description: 'Service category that the owner of an agent chose.',
  values: enumValues(SERVICE_CATEGORIES, {
    commerce: 'Commerce.',
    dataAnalysis: 'Data analysis.',
    contentCreation: 'Creation of content such as texts and images.',
    customerService: 'Customer service.',
    financial: 'Financial services.',
    logistics: 'Logistics.',
    development: 'Software development.',
    research: 'Research.',
    other: 'Other services.',
  }),
})

export const HistoryEventType = builder.enumType('HistoryEventType', {
  description: 'The kind of a change of an agent.',
  values: enumValues(HISTORY_EVENT_TYPES, {
    reputation_updated: 'The reputation score changed.',
    tier_updated: 'The tier changed because of a deposit or withdrawal.',
    status_changed: 'The status changed.',
    metadata_updated: 'The name, version, category, capabilities or card changed.',
  }),
})
