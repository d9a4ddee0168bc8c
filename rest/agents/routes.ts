import type { Found } from '../execute.ts'
import { snakeCase } from '../contract/parameter-names.ts'
import {
  GetAgentDocument,
  GetAgentHistoryDocument,
  type GetAgentHistoryQuery,
  ListAgentsDocument,
} from '../generated/graphql.ts'
import type { Operations } from '../operations.ts'
import type { RestApp } from '../rest-app.ts'
import { getAgentHistorySchema, getAgentSchema, listAgentsSchema } from './schemas.ts'

export function agentRoutes(app: RestApp, operations: Operations): void {
  const options = { ...operations.tables, config: { spellParameter: snakeCase } }
  const listAgents = operations.read(ListAgentsDocument, {
    tables: ['agents'],
    toBody: ({ agents }) => agents,
  })
  const getAgent = operations.read(GetAgentDocument, { tables: ['agents'], toBody: ({ agent }) => agent })
  const getAgentHistory = operations.read(GetAgentHistoryDocument, {
    tables: ['agents', 'history'],
    toBody: toHistory,
  })

  app.get('/agents', { ...options, schema: listAgentsSchema }, (request, reply) =>
    listAgents(request, reply, { ...request.query, by_name: request.query.name !== undefined }),
  )

  app.get('/agents/:pda', { ...options, schema: getAgentSchema }, (request, reply) =>
    getAgent(request, reply, request.params),
  )

  app.get('/agents/:pda/history', { ...options, schema: getAgentHistorySchema }, (request, reply) =>
    getAgentHistory(request, reply, { ...request.params, ...request.query }),
  )
}

/** Only entries of reputation_updated have a `delta`. */
function toHistory({ agentHistory: page }: Found<GetAgentHistoryQuery>) {
  return {
    ...page,
    history: page.history.map(({ delta, timestamp, ...entry }) =>
      delta === null ? { ...entry, timestamp } : { ...entry, delta, timestamp },
    ),
  }
}
