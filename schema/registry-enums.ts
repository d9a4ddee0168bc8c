import { AGENT_STATUSES, SERVICE_CATEGORIES, TIERS } from '@agent-registry/program'
import { HISTORY_EVENT_TYPES } from '../src/domain/history-events.ts'
import { STATUS_FILTERS } from '../src/agents/agent-filter.ts'
import { builder } from './builder.ts'
import { enumValues } from './enum-values.ts'

export const Tier = builder.enumType('Tier', {
  description: 'Reached by staked USDC; the thresholds are in the registry program’s config account.',
  values: enumValues(TIERS, {
    observer: 'No stake needed.',
    basic: 'The first threshold.',
    standard: 'The second threshold.',
    premium: 'The third threshold.',
  }),
})

export const AgentStatus = builder.enumType('AgentStatus', {
  description: 'Where an agent is in its life. Closed agents leave the lists.',
  values: enumValues(AGENT_STATUSES, {
    active: 'At work.',
    suspended: 'Stopped by its owner or an admin; may come back.',
    deactivated: 'Stopped for good.',
  }),
})

export const AgentStatusFilter = builder.enumType('AgentStatusFilter', {
  description: 'A status, or `inactive` for every status but `active`.',
  values: enumValues(STATUS_FILTERS, {
    active: 'At work.',
    suspended: 'Stopped by its owner or an admin.',
    deactivated: 'Stopped for good.',
    inactive: 'Suspended or deactivated.',
  }),
})

export const ServiceCategory = builder.enumType('ServiceCategory', {
  description: 'What an agent offers, as its owner says.',
  values: enumValues(SERVICE_CATEGORIES, {
    commerce: 'Trade.',
    dataAnalysis: 'Analysis of data.',
    contentCreation: 'Texts, images and the like.',
    customerService: 'Help for customers.',
    financial: 'Finance.',
    logistics: 'Transport and storage.',
    development: 'Software.',
    research: 'Research.',
    other: 'Anything else.',
  }),
})

export const HistoryEventType = builder.enumType('HistoryEventType', {
  description: 'What changed about an agent.',
  values: enumValues(HISTORY_EVENT_TYPES, {
    reputation_updated: 'The reputation score.',
    tier_updated: 'The tier, by a deposit or withdrawal.',
    status_changed: 'The status.',
    metadata_updated: 'Name, version, category, capabilities or card.',
  }),
})
