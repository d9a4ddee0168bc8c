import { Type } from 'typebox'
import { AGENT_STATUSES, SERVICE_CATEGORIES, TIERS } from '@agent-registry/program'
import { HISTORY_EVENT_TYPES } from '../../src/domain/history-events.ts'
import { MAX_NAME_SEARCH, REPUTATION_RANGE, STATUS_FILTERS } from '../../src/agents/agent-filter.ts'
import { AGENT_SORTS } from '../../src/agents/list-agents.ts'
import { ORDERS } from '../../src/domain/page.ts'
import {
  Choice,
  conditionalRequest,
  envelope,
  errors,
  named,
  cacheableResponses,
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
  version: Type.String({
    description: 'Version of the agent as free text. Can be empty.',
    examples: ['1.4.0'],
  }),
  agent_card_url: Type.String({ examples: ['https://agents.example/weather-scout.json'] }),
  card_hash_mismatch: Type.Boolean({
    description: 'True if the hosted card does not match its recorded hash.',
    examples: [false],
  }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
}

const Agent = named('Agent', Type.Object(agentFields, { description: 'A registered agent.' }))

const ListedAgent = named(
  'ListedAgent',
  Type.Object(
    {
      ...agentFields,
      name_similarity: Type.Optional(
        // The operation selects it only in a search, so it is never null.
        Type.Unsafe<number | null>({
          type: 'number',
          description: 'Trigram similarity to `name`, from 0.3 to 1. Present only in a search by name.',
          examples: [0.62],
        }),
      ),
    },
    { description: 'An agent in a list.' },
  ),
)

const HistoryEntry = named(
  'HistoryEntry',
  Type.Object(
    {
      event_type: Choice(HISTORY_EVENT_TYPES, { examples: ['reputation_updated'] }),
      agent_pda: Pubkey('Address of the agent’s account.'),
      old_value: Type.String({
        description:
          'The value before the change, always as text. For metadata_updated, a JSON object with only the changed fields.',
        examples: ['250'],
      }),
      new_value: Type.String({
        description: 'The value after the change, in the same form as `old_value`.',
        examples: ['262'],
      }),
      delta: Type.Optional(
        Type.String({
          description: 'Signed difference. Present only for reputation_updated.',
          examples: ['+12'],
        }),
      ),
      timestamp: Timestamp(),
    },
    { description: 'A change of an agent.' },
  ),
)

const AgentParams = Type.Object({ pda: Pubkey('Address of the agent’s account.') })
const notFound = { 404: 'Agent not found' }

export const listAgentsSchema = {
  operationId: 'listAgents',
  tags: ['Agents'],
  summary: 'List and search agents',
  description:
    'Newest first. Agents with equal sort keys are sorted by `pda`. A search by name returns the most similar names first unless `sort` is given.',
  querystring: Type.Object({
    owner: Type.Optional(Pubkey('Wallet of the owner.')),
    tier: Type.Optional(Choice(TIERS)),
    status: Type.Optional(
      Choice(STATUS_FILTERS, { description: '`inactive` matches every status except `active`.' }),
    ),
    category: Type.Optional(Choice(SERVICE_CATEGORIES)),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_NAME_SEARCH,
        description:
          'Trigram similarity search with the threshold 0.3. Adds `name_similarity` to each result.',
      }),
    ),
    min_reputation: reputation('Minimum reputation, inclusive.'),
    max_reputation: reputation('Maximum reputation, inclusive.'),
    include_mismatched: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Includes agents whose hosted card does not match its recorded hash.',
      }),
    ),
    sort: Type.Optional(Choice(AGENT_SORTS, { default: 'created_at' })),
    order: Type.Optional(Choice(ORDERS, { default: 'desc' })),
    ...pageQuery,
  }),
  ...conditionalRequest,
  response: { ...cacheableResponses(envelope('agents', ListedAgent)), ...errors([400]) },
}

export const getAgentSchema = {
  operationId: 'getAgent',
  tags: ['Agents'],
  summary: 'Read one agent',
  description: 'A closed agent is not found.',
  params: AgentParams,
  querystring: Type.Object({}),
  ...conditionalRequest,
  response: { ...cacheableResponses(Agent), ...errors([400, 404], notFound) },
}

export const getAgentHistorySchema = {
  operationId: 'getAgentHistory',
  tags: ['Agents'],
  summary: 'Read an agent’s history',
  description: 'Newest first. The history stays readable after the agent is closed.',
  params: AgentParams,
  querystring: Type.Object({ event_type: Type.Optional(Choice(HISTORY_EVENT_TYPES)), ...pageQuery }),
  ...conditionalRequest,
  response: { ...cacheableResponses(envelope('history', HistoryEntry)), ...errors([400, 404], notFound) },
}

function integerRange({ min, max }: { min: number; max: number }) {
  return { minimum: min, maximum: max }
}
