import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '../../src/domain/errors.ts'
import { limitBodyValues } from '../contract/json-size.ts'
import { isEventStream, sendEventStream } from '../plugins/event-stream.ts'
import type { OriginGuard } from '../plugins/origin-guard.ts'
import { authenticateRequest, authenticateToken } from '../plugins/wallet-auth.ts'
import type { RestContext } from '../rest-context.ts'
import { createMcpServer } from './server.ts'
import { createSessions, MESSAGES } from './sessions.ts'
import { answerMessage } from './streamable-http.ts'
import { chosenTools, type McpContext, messagePriority, TOOLS, toolsOf } from './tools.ts'

/** Values in the JSON of a message. The SDK repeats each invalid one in its error. */
export const MAX_VALUES = 500

/**
 * Registers the Model Context Protocol: Streamable HTTP at /mcp without sessions, so any replica
 * can serve any request, and the older transport at /mcp/sse, whose sessions belong to one process.
 */
export function mcpRoutes(app: FastifyInstance, rest: RestContext, originGuard: OriginGuard): void {
  const { services, logger, connectionLimits, operatorDocuments } = rest
  limitBodyValues(app, MAX_VALUES)
  const route = {
    schema: { hide: true },
    config: { priority: ({ body }: FastifyRequest) => messagePriority(body) },
    // MCP requires this for both transports, as a protection against DNS rebinding.
    onRequest: async ({ raw }: FastifyRequest) => originGuard.check(raw),
  }
  const tools = [...TOOLS, ...toolsOf(operatorDocuments)]
  /** Returns a function that creates servers. Throws for a wrong choice of tools. */
  const serversFor = ({ ip: clientIp, url }: FastifyRequest) => {
    const chosen = chosenTools(tools, url)
    return (context: Omit<McpContext, 'services' | 'clientIp' | 'logger'>) =>
      createMcpServer({ services, clientIp, logger, ...context }, chosen)
  }

  app.post('/mcp', route, async (request, reply) => {
    if (Array.isArray(request.body))
      throw new DomainError('INVALID_REQUEST', { problem: 'Batches are not supported: send one message' })
    const createServer = serversFor(request)
    const authenticate = () => authenticateRequest(services, request)
    const response = await answerMessage(reply, services, (era) => createServer({ era, authenticate }))
    if (isEventStream(response)) return sendEventStream(reply, response)
    reply.code(response.status).headers(Object.fromEntries(response.headers))
    return reply.send(await response.text())
  })

  const sessions = createSessions(connectionLimits)
  app.get('/mcp/sse', { ...route, exposeHeadRoute: false }, async (request, reply) => {
    const createServer = serversFor(request)
    await sessions.open(reply, () =>
      createServer({
        era: 'legacy',
        admit: (priority) => services.admission.admit(priority, request.ip),
        authenticate: () => authenticateToken(services, request, request.headers.authorization),
      }),
    )
  })
  app.post(MESSAGES, route, async (request, reply) => {
    // The response is sent before the tool is admitted.
    sessions.receive(request)
    return reply.code(202).send('Accepted')
  })
}
