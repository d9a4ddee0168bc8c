import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createMcpServer } from '../../src/mcp/server.ts'
import { createSessions } from '../../src/mcp/sessions.ts'
import { DomainError } from '../../src/errors.ts'
import type { Logger } from '../../src/logger.ts'
import type { Services } from '../../src/services.ts'
import type { RestApp } from '../door.ts'

const MESSAGES = '/mcp/messages'

export interface McpOptions {
  readonly services: Services
  readonly logger: Logger
  readonly version: string
}

/**
 * The Model Context Protocol: Streamable HTTP at /mcp, without sessions, so that any replica answers any request; and the older
 * transport at /mcp/sse, where a session lives in the process that holds its stream.
 */
export function mcpRoutes(app: RestApp, { services, logger, version }: McpOptions): void {
  const serverFor = ({ ip }: FastifyRequest) => createMcpServer({ services, clientIp: ip, logger }, version)

  app.post('/mcp', { schema: { hide: true } }, async (request, reply) => {
    if (Array.isArray(request.body))
      throw new DomainError('INVALID_REQUEST', { problem: 'Batches are not taken: send one message' })
    const server = serverFor(request)
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    takeOver(reply)
    reply.raw.once('close', () => void server.close())
    await server.connect(transport)
    await transport.handleRequest(request.raw, reply.raw, request.body)
  })

  const sessions = createSessions(MESSAGES)
  app.get('/mcp/sse', { schema: { hide: true }, exposeHeadRoute: false }, async (request, reply) => {
    sessions.checkRoom(request.ip)
    takeOver(reply)
    await sessions.open(serverFor(request), request.ip, reply.raw)
  })
  app.post(MESSAGES, { schema: { hide: true } }, async (request, reply) => {
    const { sessionId } = Object.fromEntries(new URL(request.url, 'http://localhost').searchParams)
    const session = sessions.find(sessionId)
    if (session === undefined) throw new DomainError('MCP_SESSION_NOT_FOUND')
    takeOver(reply)
    await session.handlePostMessage(request.raw, reply.raw, request.body)
  })
  app.addHook('preClose', () => sessions.closeAll())
}

/** The transports write to Node's response; what hooks have put into Fastify's goes along. */
function takeOver(reply: FastifyReply): void {
  reply.hijack()
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value)
  }
}
