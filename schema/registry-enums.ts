import { STATUS_FILTERS } from '../src/agents/agent-filter.ts'
import { AGENT_STATUSES, HISTORY_EVENT_TYPES, SERVICE_CATEGORIES, TIERS } from '../src/domain/registry.ts'
import { builder } from './builder.ts'

export const Tier = builder.enumType('Tier', {
  description: 'Reached by staked USDC; the thresholds are in the registry program’s config account.',
  values: TIERS,
})

export const AgentStatus = builder.enumType('AgentStatus', {
  description: 'Where an agent is in its life. Closed agents leave the lists.',
  values: AGENT_STATUSES,
})

export const AgentStatusFilter = builder.enumType('AgentStatusFilter', {
  description: 'A status, or `inactive` for every status but `active`.',
  values: STATUS_FILTERS,
})

export const ServiceCategory = builder.enumType('ServiceCategory', {
  description: 'What an agent offers, as its owner says.',
  values: SERVICE_CATEGORIES,
})

export const HistoryEventType = builder.enumType('HistoryEventType', {
  description: 'What changed about an agent.',
  values: HISTORY_EVENT_TYPES,
})
