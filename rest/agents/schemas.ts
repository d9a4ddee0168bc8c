import { Type } from 'typebox'
import { AGENT_STATUSES, SERVICE_CATEGORIES, TIERS } from '@agent-registry/program'
import { HISTORY_EVENT_TYPES } from '../../src/domain/history-events.ts'
import { MAX_NAME_SEARCH, REPUTATION_RANGE, STATUS_FILTERS } from '../../src/agents/agent-filter.ts'
import { AGENT_SORTS } from '../../src/agents/list-agents.ts'
import { ORDERS } from '../../src/domain/page.ts'
import {
  Choice,
  conditional,
  envelope,
  errors,
  kept,
  pageQuery,
  Pubkey,
  Timestamp,
  U64,
} from '../contract/shapes.ts'

const reputation = (description: string) =>
  Type.Optional(Type.Integer({ minimum: REPUTATION_RANGE.min, maximum: REPUTATION_RANGE.max, description }))

const agentFields = {
  pda: Pubkey('Address of the agent’s account.'),
  owner: Pubkey('Wallet that registered the agent.'),
  name: Type.String({ examples: ['Weather Scout'] }),
  tier: Choice(TIERS, { examples: ['standard'] }),
  status: Choice(AGENT_STATUSES, { examples: ['active'] }),
  service_category: Choice(SERVICE_CATEGORIES, { examples: ['research'] }),
  reputation_score: Type.Integer({ ...integerRange(REPUTATION_RANGE), examples: [250] }),
  capabilities: U64('Bit mask: BUY 1, SELL 2, NEGOTIATE 4, ESCROW_RELEASE 8, DELEGATE 16, ARBITRATE 32.', 5),
  version: Type.String({ description: 'Agent version text; may be empty.', examples: ['1.4.0'] }),
  agent_card_url: Type.String({ examples: ['https://agents.example/weather-scout.json'] }),
  card_hash_mismatch: Type.Boolean({
    description: 'True when the hosted card does not match its recorded hash.',
    examples: [false],
  }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
}

const Agent = Type.Object(agentFields, { description: 'A registered agent.' })

const ListedAgent = Type.Object({
  ...agentFields,
  name_similarity: Type.Optional(
    // The operation asks for it in a search only, so that it is never null here.
    Type.Unsafe<number | null>({
      type: 'number',
      description: 'Trigram similarity, 0.3 to 1; present in a search by name.',
      examples: [0.62],
    }),
  ),
})

const HistoryEntry = Type.Object({
  event_type: Choice(HISTORY_EVENT_TYPES, { examples: ['reputation_updated'] }),
  agent_pda: Pubkey('Address of the agent’s account.'),
  old_value: Type.String({
    description: 'Text even for numbers; for metadata_updated a JSON object of just the changed fields.',
    examples: ['250'],
  }),
  new_value: Type.String({ description: 'In the form of old_value.', examples: ['262'] }),
  delta: Type.Optional(
    Type.String({ description: 'Signed; present for reputation_updated.', examples: ['+12'] }),
  ),
  timestamp: Timestamp(),
})

const AgentParams = Type.Object({ pda: Pubkey('Address of the agent’s account.') })
const notFound = { 404: 'Agent not found' }

export const listAgentsSchema = {
  operationId: 'listAgents',
  tags: ['Agents'],
  summary: 'List and search agents',
  description:
    'Newest first, ties in the order of pda. A search by name puts the most similar first unless `sort` is given.',
  querystring: Type.Object({
    owner: Type.Optional(Pubkey('Wallet of the owner.')),
    tier: Type.Optional(Choice(TIERS)),
    status: Type.Optional(Choice(STATUS_FILTERS, { description: '`inactive` is every status but active.' })),
    category: Type.Optional(Choice(SERVICE_CATEGORIES)),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_NAME_SEARCH,
        description: 'Trigram similarity search, threshold 0.3; adds name_similarity to each result.',
      }),
    ),
    min_reputation: reputation('Least reputation, inclusive.'),
    max_reputation: reputation('Greatest reputation, inclusive.'),
    include_mismatched: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Also agents whose hosted card does not match its recorded hash.',
      }),
    ),
    sort: Type.Optional(Choice(AGENT_SORTS, { default: 'created_at' })),
    order: Type.Optional(Choice(ORDERS, { default: 'desc' })),
    ...pageQuery,
  }),
  ...conditional,
  response: { ...kept(envelope('agents', ListedAgent)), ...errors([400]) },
}

export const getAgentSchema = {
  operationId: 'getAgent',
  tags: ['Agents'],
  summary: 'Read one agent',
  params: AgentParams,
  querystring: Type.Object({}),
  ...conditional,
  response: { ...kept(Agent), ...errors([400, 404], notFound) },
}

export const getAgentHistorySchema = {
  operationId: 'getAgentHistory',
  tags: ['Agents'],
  summary: 'Read an agent’s history',
  description: 'Newest first; readable after the agent is closed.',
  params: AgentParams,
  querystring: Type.Object({ event_type: Type.Optional(Choice(HISTORY_EVENT_TYPES)), ...pageQuery }),
  ...conditional,
  response: { ...kept(envelope('history', HistoryEntry)), ...errors([400, 404], notFound) },
}

function integerRange({ min, max }: { min: number; max: number }) {
  return { minimum: min, maximum: max }
}
