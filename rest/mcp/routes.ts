import type { FastifyReply, FastifyRequest } from 'fastify'
import { createMcpServer } from './server.ts'
import type { McpContext } from './context.ts'
import { createSessions, proofOf } from './sessions.ts'
import { answerMessage } from './streamable-http.ts'
import { chosenTools, messagePriority, TOOLS, toolsOf } from './tools.ts'
import { NO_SUBSCRIPTION, subscribe, subscribedAgents } from './subscriptions.ts'
import { DomainError } from '../../src/domain/errors.ts'
import type { Operation } from '../documents/documents.ts'
import type { Logger } from '../../src/platform/logger.ts'
import type { Services } from '../../src/services.ts'
import { limitBodyValues } from '../contract/json-size.ts'
import type { ConnectionLimits } from '../plugins/connections.ts'
import { createEventStreams, isEventStream } from '../plugins/event-stream.ts'
import type { OriginGuard } from '../plugins/origin-guard.ts'
import { sendRateLimit } from '../plugins/rate-limits.ts'
import { authenticateRequest, authenticateToken } from '../plugins/wallet-auth.ts'
import type { RestApp } from '../rest-app.ts'

const noop = (): void => undefined
const MESSAGES = '/mcp/messages'
/** Values in the JSON of a message. The SDK repeats each invalid one in its error. */
export const MAX_VALUES = 500

export interface McpOptions {
  readonly services: Services
  readonly logger: Logger
  readonly version: string
  readonly originGuard: OriginGuard
  readonly connectionLimits: ConnectionLimits
  /** Of the operator (documents/operators.ts). */
  readonly operatorDocuments: readonly Operation[]
}

/**
 * Registers the Model Context Protocol: Streamable HTTP at /mcp without sessions, so any replica
 * can serve any request, and the older transport at /mcp/sse, whose sessions belong to one process.
 */
export function mcpRoutes(app: RestApp, options: McpOptions): void {
  const { services, logger, version, originGuard, connectionLimits } = options
  limitBodyValues(app, MAX_VALUES)
  const route = {
    schema: { hide: true },
    config: { priority: ({ body }: FastifyRequest) => messagePriority(body) },
    // MCP requires this for both transports, as a protection against DNS rebinding.
    onRequest: async ({ raw }: FastifyRequest) => originGuard.check(raw),
  }
  const tools = [...TOOLS, ...toolsOf(options.operatorDocuments)]
  type Context = Pick<McpContext, 'admit' | 'authenticate' | 'era'>
  const serverFor = ({ ip }: FastifyRequest, chosen: typeof tools, context: Context) =>
    createMcpServer({ services, clientIp: ip, logger, ...context }, version, chosen)

  const streams = createEventStreams()
  app.addHook('preClose', async () => streams.cutAll())
  app.post('/mcp', route, async (request, reply) => {
    const { body, headers } = request
    if (Array.isArray(body))
      throw new DomainError('INVALID_REQUEST', { problem: 'Batches are not supported: send one message' })
    const chosen = chosenTools(tools, request.url)
    const agentPdas = subscribedAgents(body)
    const subscription = agentPdas === null ? NO_SUBSCRIPTION : await subscribe(services, agentPdas, reply)
    let failure: unknown
    const response = await answerMessage({
      ...subscription,
      headers,
      body,
      // The request keeps its slot until the tool has finished, also if its client disconnects.
      createServer: (era) =>
        serverFor(request, chosen, {
          era,
          admit: () => noop,
          authenticate: () => authenticateRequest(services, request),
        }),
      onError: (error) => (failure = error),
    })
    if (response.status >= 500) logger.error({ err: failure }, 'an MCP message failed')
    if (isEventStream(response)) return streams.send(reply, response)
    reply.code(response.status).headers(Object.fromEntries(response.headers))
    return reply.send(await response.text())
  })

  const sessions = createSessions(MESSAGES, connectionLimits)
  app.get('/mcp/sse', { ...route, exposeHeadRoute: false }, async (request, reply) => {
    const chosen = chosenTools(tools, request.url)
    sessions.checkLimit(request.ip)
    if (!hijackReply(request, reply)) return
    request.admissionSlot?.release()
    const server = serverFor(request, chosen, {
      era: 'legacy',
      admit: (priority) => services.admission.admit(priority, request.ip),
      authenticate: () => authenticateToken(services, request, request.headers.authorization),
    })
    await sessions.open(server, reply)
  })
  app.post(MESSAGES, route, async (request, reply) => {
    const { sessionId = '' } = Object.fromEntries(new URL(request.url, 'http://localhost').searchParams)
    // The response is sent before the tool is admitted.
    sessions.receive({ sessionId, proof: proofOf(request), message: request.body })
    return reply.code(202).send('Accepted')
  })
  app.addHook('preClose', () => sessions.closeAll())
}

/**
 * Lets an MCP transport write to Node's response, with the headers of Fastify's hooks. False if the
 * client has disconnected.
 */
function hijackReply(request: FastifyRequest, reply: FastifyReply): boolean {
  sendRateLimit(reply)
  reply.hijack()
  request.admissionSlot?.handlerFinished()
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value)
  }
  return !reply.raw.destroyed
}
