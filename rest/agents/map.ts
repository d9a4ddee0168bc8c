import { exactInteger } from '../contract/exact-integer.ts'
import type {
  AgentFieldsFragment,
  GetAgentHistoryQuery,
  ListAgentsQuery,
  ListAgentsQueryVariables,
} from '../generated/graphql.ts'
import type { Static } from 'typebox'
import type { listAgentsSchema } from './schemas.ts'

type AgentListParameters = Static<typeof listAgentsSchema.querystring>

export function toListVariables(query: AgentListParameters): ListAgentsQueryVariables {
  const { sort, order, limit, offset } = query
  return {
    filter: {
      owner: query.owner,
      tier: query.tier,
      status: query.status,
      category: query.category,
      name: query.name,
      minReputation: query.min_reputation,
      maxReputation: query.max_reputation,
      includeMismatched: query.include_mismatched,
    },
    sort,
    order,
    limit,
    offset,
    named: query.name !== undefined,
  }
}

/** Changes the agent it is given, which belongs to this answer alone: copying fifty of them costs as much as writing them. */
export function toAgent<Agent extends AgentFieldsFragment>(agent: Agent) {
  return Object.assign(agent as Omit<Agent, 'capabilities'>, {
    capabilities: exactInteger(agent.capabilities),
  })
}

export function toAgentList({ agents: page }: ListAgentsQuery) {
  return {
    ...page,
    agents: page.agents.map(toAgent),
  }
}

/** `delta` is present for reputation_updated only. */
export function toHistory({ agentHistory: page }: GetAgentHistoryQuery) {
  return {
    ...page,
    history: page.history.map(({ delta, timestamp, ...entry }) =>
      delta === null ? { ...entry, timestamp } : { ...entry, delta, timestamp },
    ),
  }
}
