import type { Operations } from '../operations.ts'
import { GetAgentDocument, GetAgentHistoryDocument, ListAgentsDocument } from '../generated/graphql.ts'
import { snakeCase } from '../contract/parameter-names.ts'
import { toAgent, toAgentList, toHistory, toListVariables } from './map.ts'
import { getAgentHistorySchema, getAgentSchema, listAgentsSchema } from './schemas.ts'
import type { RestApp } from '../rest-app.ts'

const config = { spellParameter: snakeCase }

export function agentRoutes(app: RestApp, door: Operations): void {
  const listAgents = door.read(ListAgentsDocument, { tables: ['agents'], toBody: toAgentList })
  const getAgent = door.read(GetAgentDocument, { tables: ['agents'], toBody: ({ agent }) => toAgent(agent) })
  const getAgentHistory = door.read(GetAgentHistoryDocument, {
    tables: ['agents', 'history'],
    toBody: toHistory,
  })

  app.get('/agents', { schema: listAgentsSchema, config }, (request, reply) =>
    listAgents(request, reply, toListVariables(request.query)),
  )

  app.get('/agents/:pda', { schema: getAgentSchema, config }, (request, reply) =>
    getAgent(request, reply, request.params),
  )

  app.get('/agents/:pda/history', { schema: getAgentHistorySchema, config }, (request, reply) => {
    const { event_type: eventType, limit, offset } = request.query
    return getAgentHistory(request, reply, { pda: request.params.pda, eventType, limit, offset })
  })
}
