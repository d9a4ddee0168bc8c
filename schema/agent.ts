import { MAX_NAME_SEARCH, agentListUnits, REPUTATION_RANGE } from '../src/registry/agents/agent-filter.ts'
import type { AgentRow } from '../src/registry/rows.ts'
import { SUGGESTION_LIMIT } from '../src/registry/agents/lookup-agents.ts'
import { builder } from './builder.ts'
import { args, inputType, limited, required, withDefault } from './inputs.ts'
import { bool, float, int, list, nullable, of, pubkey, text, time, u64 } from './columns.ts'
import { CONNECTION_ARGS, connectionType } from './connection.ts'
import { enumType } from './enum-values.ts'
import { nodeType } from './node.ts'
import { orderType, PAGE_ARGS, pageType } from './page.ts'
import {
  AgentStatus,
  AgentStatusFilter,
  Capability,
  CAPABILITIES,
  ServiceCategory,
  Tier,
} from './registry-enums.ts'

const REPUTATION = { minimum: REPUTATION_RANGE.min, maximum: REPUTATION_RANGE.max }

export const AgentRef = nodeType<AgentRow>(
  'Agent',
  'A registered agent, as its account on the ledger describes it.',
  {
    pda: pubkey('Address of the agent’s account.'),
    owner: pubkey('Wallet that registered the agent.'),
    name: text('1 to 32 bytes of UTF-8.', 'Weather Scout'),
    tier: of(Tier, 'Tier, which depends on the agent’s stake.', 'standard'),
    status: of(AgentStatus, 'Lifecycle status.', 'active'),
    serviceCategory: of(ServiceCategory, 'Service category that the owner chose.', 'research'),
    reputationScore: int('0 to 1000. A new agent has 250.', 250, REPUTATION),
    capabilities: u64(
      'Bit mask: BUY 1, SELL 2, NEGOTIATE 4, ESCROW_RELEASE 8, DELEGATE 16, ARBITRATE 32.',
      5,
    ),
    version: text('Version of the agent as free text. At most 16 bytes, can be empty.', '1.4.0'),
    agentCardUrl: text(
      'URL of the agent card, with the scheme https, ipfs, ar or did.',
      'https://agents.example/weather-scout.json',
    ),
    cardHashMismatch: bool('True if the hosted card does not match the hash recorded on the ledger.', false),
    rentPayer: pubkey('Who paid the rent of the account, and gets it back when the agent is closed.'),
    createdAt: time('Block time of the registration.'),
    updatedAt: time('Block time of the last change.'),
    nameSimilarity: nullable(
      float('How similar the name is to the searched text, from 0.3 to 1. Null without a search.', 0.62),
    ),
  },
)

builder.objectField(AgentRef, 'capabilityNames', (t) =>
  t.field({
    type: [Capability],
    description: 'The known capabilities of the mask.',
    resolve: ({ capabilities }) => {
      const mask = BigInt(capabilities)
      return CAPABILITIES.filter((_, bit) => (mask & (1n << BigInt(bit))) !== 0n)
    },
  }),
)

const AgentPageRef = pageType('AgentPage', 'A page of agents.', {
  agents: list(of(AgentRef, 'The agents of this page.')),
})

const listUnits = ({ filter, offset }: { readonly filter?: unknown; readonly offset?: unknown }): number =>
  agentListUnits(typeof filter === 'object' && filter !== null ? filter : {}, offset)

const AgentConnectionRef = connectionType('Agent', AgentRef, { countUnits: listUnits })

const AgentOrderField = enumType(
  'AgentOrderField',
  'Sort key of agents. Agents with equal keys are sorted by pda.',
  {
    reputation: 'By reputation score.',
    created_at: 'By the time of registration.',
    name: 'By name, in byte order.',
  },
)

const AgentOrder = orderType('AgentOrder', AgentOrderField, {
  field: 'Default: the time of registration, or similarity in a search.',
  direction: 'Default: descending.',
})

const AgentFilter = inputType('AgentFilter', 'Agents must match all conditions.', {
  owner: pubkey('Only the agent of this wallet.'),
  tier: of(Tier, 'Only agents of this tier.'),
  tiers: list(of(Tier, 'Only agents of one of these tiers.')),
  status: of(AgentStatusFilter, 'Only agents with this status. Inactive is every status except active.'),
  statuses: list(of(AgentStatusFilter, 'Only agents with one of these statuses.')),
  category: of(ServiceCategory, 'Only agents of this service category.'),
  categories: list(of(ServiceCategory, 'Only agents of one of these service categories.')),
  name: limited(
    text(
      `Only agents whose name has a trigram similarity of at least 0.3 to this text of 1 to ${MAX_NAME_SEARCH} characters.`,
    ),
    { minLength: 1, maxLength: MAX_NAME_SEARCH },
  ),
  words: limited(
    text(
      `Only agents whose name has at least half of the trigrams of this text of 1 to ${MAX_NAME_SEARCH} characters, in place of \`name\`. For search boxes: it finds a word of a longer name, its beginning, and words with typing errors.`,
    ),
    { minLength: 1, maxLength: MAX_NAME_SEARCH },
  ),
  minReputation: limited(
    int(`Minimum reputation, inclusive: ${REPUTATION_RANGE.min} to ${REPUTATION_RANGE.max}.`),
    REPUTATION,
  ),
  maxReputation: limited(
    int(`Maximum reputation, inclusive: ${REPUTATION_RANGE.min} to ${REPUTATION_RANGE.max}.`),
    REPUTATION,
  ),
  includeMismatched: withDefault(
    false,
    bool('Includes agents whose hosted card does not match its recorded hash.'),
  ),
})

export const PDA_ARG = { pda: required(pubkey('Address of the agent’s account.')) }

const LIST_ARGS = {
  filter: of(AgentFilter, 'Default: all agents except those with a mismatched card.'),
  orderBy: of(AgentOrder, 'Default: the newest first.'),
}

builder.queryFields((t) => ({
  agent: t.field({
    extensions: { readsTables: true, errors: ['AGENT_NOT_FOUND'] },
    type: AgentRef,
    nullable: true,
    description: 'Returns one agent. A closed agent is not found.',
    args: args(PDA_ARG),
    resolve: (_, { pda }, { services }) => services.agents.get(pda),
  }),
  agentByOwner: t.field({
    extensions: { readsTables: true, errors: ['AGENT_NOT_FOUND'] },
    type: AgentRef,
    nullable: true,
    description: 'Returns the agent of a wallet. A closed agent is not found.',
    args: args({ owner: required(pubkey('Wallet of the owner.')) }),
    resolve: (_, { owner }, { services }) => services.agents.getByOwner(owner),
  }),
  agentSuggestions: t.field({
    extensions: { listSize: SUGGESTION_LIMIT.max },
    type: [AgentRef],
    description:
      'Agents whose name begins with a text, for search boxes. In the order of names, without agents of a mismatched card.',
    args: args({
      prefix: required(text(`The first 1 to ${MAX_NAME_SEARCH} characters of the name, in any case.`)),
      limit: int(
        `Maximum number of agents: ${SUGGESTION_LIMIT.min} to ${SUGGESTION_LIMIT.max}. Default: ${SUGGESTION_LIMIT.default}.`,
      ),
    }),
    resolve: (_, args, { services }) => services.agents.suggest(args),
  }),
  agents: t.field({
    extensions: { units: listUnits, errors: ['INVALID_CURSOR', 'WORDS_NOT_READY'] },
    type: AgentConnectionRef,
    description:
      'Lists agents, newest first. A search returns the most similar names first. Agents that are registered or closed between two pages cause no gaps and no duplicates. Later pages are as fast as the first.',
    args: args({ ...LIST_ARGS, ...CONNECTION_ARGS }),
    resolve: (_, { filter, orderBy, ...page }, { services }) =>
      services.agents.listConnection({ ...filter, sort: orderBy?.field, order: orderBy?.direction, ...page }),
  }),
  agentsPage: t.field({
    extensions: { units: listUnits, readsTables: true },
    type: AgentPageRef,
    description: 'The agents of `agents`, by offset.',
    args: args({ ...LIST_ARGS, ...PAGE_ARGS }),
    resolve: (_, { filter, orderBy, ...page }, { services }) =>
      services.agents.list({ ...filter, sort: orderBy?.field, order: orderBy?.direction, ...page }),
  }),
}))
