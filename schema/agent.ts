import { MAX_NAME_SEARCH, REPUTATION_RANGE } from '../src/agents/agent-filter.ts'
import type { AgentRow } from '../src/agents/agent-row.ts'
import { AGENT_SORTS } from '../src/agents/list-agents.ts'
import type { Page } from '../src/domain/page.ts'
import { builder } from './builder.ts'
import { enumValues } from './enum-values.ts'
import { connectionArgs, connectionType } from './connection.ts'
import { pageArgs, pageFields, SortOrder } from './page.ts'
import { AgentStatus, AgentStatusFilter, ServiceCategory, Tier } from './registry-enums.ts'

export const AgentRef = builder.objectRef<AgentRow>('Agent')
const AgentPageRef = builder.objectRef<Page<AgentRow>>('AgentPage')

AgentRef.implement({
  description: 'A registered agent, as its account on the ledger says.',
  fields: (t) => ({
    pda: t.expose('pda', { type: 'Pubkey', description: 'Address of the agent’s account.' }),
    owner: t.expose('owner', { type: 'Pubkey', description: 'Wallet that registered the agent.' }),
    name: t.exposeString('name', { description: '1 to 32 bytes of UTF-8.' }),
    tier: t.expose('tier', { description: 'Reached by its stake.', type: Tier }),
    status: t.expose('status', { description: 'Where it is in its life.', type: AgentStatus }),
    serviceCategory: t.expose('serviceCategory', {
      description: 'What it offers, as its owner says.',
      type: ServiceCategory,
    }),
    reputationScore: t.exposeInt('reputationScore', { description: '0 to 1000; starts at 250.' }),
    capabilities: t.expose('capabilities', {
      type: 'U64',
      description: 'Bit mask: BUY 1, SELL 2, NEGOTIATE 4, ESCROW_RELEASE 8, DELEGATE 16, ARBITRATE 32.',
    }),
    version: t.exposeString('version', { description: 'Agent version text, up to 16 bytes; may be empty.' }),
    agentCardUrl: t.exposeString('agentCardUrl', { description: 'Scheme https, ipfs, ar or did.' }),
    cardHashMismatch: t.exposeBoolean('cardHashMismatch', {
      description: 'True when the hosted card does not match the hash recorded on the ledger.',
    }),
    createdAt: t.expose('createdAt', { description: 'Block time of its registration.', type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { description: 'Block time of its last change.', type: 'DateTime' }),
    nameSimilarity: t.exposeFloat('nameSimilarity', {
      nullable: true,
      description: 'Trigram similarity to the name searched for, 0.3 to 1; null without such a search.',
    }),
  }),
})

AgentPageRef.implement({
  description: 'A page of agents.',
  fields: (t) => ({
    ...pageFields(t),
    agents: t.expose('rows', { description: 'The agents of this page.', type: [AgentRef] }),
  }),
})

const AgentConnectionRef = connectionType('Agent', AgentRef)

const AgentSort = builder.enumType('AgentSort', {
  description: 'What to order agents by. Ties are in the order of pda.',
  values: enumValues(AGENT_SORTS, {
    reputation: 'By reputation score.',
    created_at: 'By the time of registration.',
    name: 'By name, in the order of bytes.',
  }),
})

const AgentFilter = builder.inputType('AgentFilter', {
  description: 'All conditions must hold.',
  fields: (t) => ({
    owner: t.field({ type: 'Pubkey', description: 'Wallet of the owner.' }),
    tier: t.field({ description: 'Only of this tier.', type: Tier }),
    status: t.field({ description: 'Only of this status.', type: AgentStatusFilter }),
    category: t.field({ description: 'Only of this service category.', type: ServiceCategory }),
    name: t.string({
      description: `Trigram similarity of at least 0.3 to this text of 1 to ${MAX_NAME_SEARCH} characters.`,
    }),
    minReputation: t.int({ description: `${REPUTATION_RANGE.min} to ${REPUTATION_RANGE.max}, inclusive.` }),
    maxReputation: t.int({ description: `${REPUTATION_RANGE.min} to ${REPUTATION_RANGE.max}, inclusive.` }),
    includeMismatched: t.boolean({
      defaultValue: false,
      description: 'Also agents whose hosted card does not match its recorded hash.',
    }),
  }),
})

builder.queryFields((t) => ({
  agent: t.field({
    type: AgentRef,
    description: 'One agent. Error AGENT_NOT_FOUND where there is none, or where it was closed.',
    args: { pda: t.arg({ description: 'Address of the agent’s account.', type: 'Pubkey', required: true }) },
    resolve: (_, { pda }, { services }) => services.agents.get(pda),
  }),
  agents: t.field({
    type: AgentPageRef,
    description: 'Agents, newest first; in a search by name the most similar first.',
    args: {
      filter: t.arg({
        description: 'All agents by default, but those of mismatched cards.',
        type: AgentFilter,
      }),
      sort: t.arg({ type: AgentSort, description: 'Default created_at; with a name, its similarity.' }),
      order: t.arg({ type: SortOrder, description: 'Default desc.' }),
      ...pageArgs(),
    },
    resolve: (_, { filter, ...rest }, { services }) => services.agents.list({ ...filter, ...rest }),
  }),
  agentsConnection: t.field({
    type: AgentConnectionRef,
    description:
      'The agents of `agents`, walked by cursors: steady while agents come and go, and as fast at the end as at the beginning.',
    args: {
      filter: t.arg({
        type: AgentFilter,
        description: 'All agents by default, but those of mismatched cards.',
      }),
      sort: t.arg({ type: AgentSort, description: 'Default created_at; with a name, its similarity.' }),
      order: t.arg({ type: SortOrder, description: 'Default desc.' }),
      ...connectionArgs(),
    },
    resolve: (_, { filter, ...rest }, { services }) => services.agents.listConnection({ ...filter, ...rest }),
  }),
}))
