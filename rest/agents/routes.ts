import type { Door, RestApp } from '../door.ts'
import { GetAgentDocument, GetAgentHistoryDocument, ListAgentsDocument } from '../generated/graphql.ts'
import { snakeCase } from '../parameter-names.ts'
import { toAgent, toAgentList, toHistory, toListVariables } from './map.ts'
import { getAgentHistorySchema, getAgentSchema, listAgentsSchema } from './schemas.ts'

const config = { spellParameter: snakeCase }

export function agentRoutes(app: RestApp, door: Door): void {
  const listAgents = door.operation(ListAgentsDocument)
  const getAgent = door.operation(GetAgentDocument)
  const getAgentHistory = door.operation(GetAgentHistoryDocument)

  app.get('/agents', { schema: listAgentsSchema, config }, async (request) =>
    toAgentList(await listAgents(request, toListVariables(request.query))),
  )

  app.get('/agents/:pda', { schema: getAgentSchema, config }, async (request) => {
    const { agent } = await getAgent(request, request.params)
    return toAgent(agent)
  })

  app.get('/agents/:pda/history', { schema: getAgentHistorySchema, config }, async (request) => {
    const { event_type: eventType, limit, offset } = request.query
    return toHistory(await getAgentHistory(request, { pda: request.params.pda, eventType, limit, offset }))
  })
}
