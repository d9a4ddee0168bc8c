import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createMcpServer } from './server.ts'
import { messagePriority } from './message-priority.ts'
import type { ToolContext } from './tool.ts'
import { createSessions } from './sessions.ts'
import { DomainError } from '../../src/domain/errors.ts'
import type { Logger } from '../../src/platform/logger.ts'
import type { Services } from '../../src/services.ts'
import type { ConnectionLimits } from '../plugins/connections.ts'
import type { OriginGuard } from '../plugins/origin-guard.ts'
import { sendRateLimit } from '../plugins/rate-limits.ts'
import type { RestApp } from '../rest-app.ts'

const noop = (): void => undefined
const MESSAGES = '/mcp/messages'

export interface McpOptions {
  readonly services: Services
  readonly logger: Logger
  readonly version: string
  readonly originGuard: OriginGuard
  readonly connectionLimits: ConnectionLimits
}

/**
 * Registers the Model Context Protocol: Streamable HTTP at /mcp without sessions, so any replica
 * can serve any request, and the older transport at /mcp/sse, whose sessions belong to one process.
 */
export function mcpRoutes(app: RestApp, options: McpOptions): void {
  const { services, logger, version, originGuard, connectionLimits } = options
  const route = {
    schema: { hide: true },
    config: { priority: ({ body }: FastifyRequest) => messagePriority(body) },
    // MCP requires this for both transports, as a protection against DNS rebinding.
    onRequest: async ({ raw }: FastifyRequest) => originGuard.check(raw),
  }
  const serverFor = ({ ip }: FastifyRequest, admit: ToolContext['admit']) =>
    createMcpServer({ services, clientIp: ip, logger, admit }, version)

  app.post('/mcp', route, async (request, reply) => {
    if (Array.isArray(request.body))
      throw new DomainError('INVALID_REQUEST', { problem: 'Batches are not supported: send one message' })
    const server = serverFor(request, () => request.admissionSlot?.hold() ?? noop)
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    if (!hijackReply(request, reply)) return
    reply.raw.once('close', () => void server.close())
    await server.connect(transport)
    await transport.handleRequest(request.raw, reply.raw, request.body)
  })

  const sessions = createSessions(MESSAGES, connectionLimits)
  app.get('/mcp/sse', { ...route, exposeHeadRoute: false }, async (request, reply) => {
    sessions.checkLimit(request.ip)
    if (!hijackReply(request, reply)) return
    request.admissionSlot?.release()
    const server = serverFor(request, (order) => services.admission.admit(order))
    await sessions.open(server, request.ip, reply.raw)
  })
  app.post(MESSAGES, route, async (request, reply) => {
    const { sessionId } = Object.fromEntries(new URL(request.url, 'http://localhost').searchParams)
    const session = sessions.find(sessionId)
    if (session === undefined) throw new DomainError('MCP_SESSION_NOT_FOUND')
    if (!hijackReply(request, reply)) return
    // The response is sent before the tool runs. The tool call has its own admission.
    request.admissionSlot?.release()
    await session.handlePostMessage(request.raw, reply.raw, request.body)
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
