import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createMcpServer } from '../../src/mcp/server.ts'
import { createSessions } from '../../src/mcp/sessions.ts'
import { DomainError } from '../../src/errors.ts'
import type { Logger } from '../../src/logger.ts'
import type { Services } from '../../src/services.ts'
import { refuseOtherOrigins } from '../cors.ts'
import type { RestApp } from '../door.ts'
import { noteRateLimit } from '../rate-limit-headers.ts'

const MESSAGES = '/mcp/messages'

export interface McpOptions {
  readonly services: Services
  readonly logger: Logger
  readonly version: string
  /** Origins whose pages may call; `*` is all. */
  readonly corsOrigins: readonly string[]
}

/**
 * The Model Context Protocol: Streamable HTTP at /mcp, without sessions, so that any replica answers any request; and the older
 * transport at /mcp/sse, where a session lives in the process that holds its stream.
 */
export function mcpRoutes(app: RestApp, { services, logger, version, corsOrigins }: McpOptions): void {
  const route = {
    schema: { hide: true },
    // The protocol demands it of both transports, against pages that rebind a name to this address.
    onRequest: async ({ raw }: FastifyRequest) => refuseOtherOrigins(raw, corsOrigins),
  }
  const countMessage = async (request: FastifyRequest): Promise<void> =>
    services.rateLimits.take('reads', request.ip, (state) => noteRateLimit(request, state))
  const serverFor = ({ ip }: FastifyRequest) => createMcpServer({ services, clientIp: ip, logger }, version)

  app.post('/mcp', route, async (request, reply) => {
    if (Array.isArray(request.body))
      throw new DomainError('INVALID_REQUEST', { problem: 'Batches are not taken: send one message' })
    await countMessage(request)
    const server = serverFor(request)
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    takeOver(reply)
    reply.raw.once('close', () => void server.close())
    await server.connect(transport)
    await transport.handleRequest(request.raw, reply.raw, request.body)
  })

  const sessions = createSessions(MESSAGES)
  app.get('/mcp/sse', { ...route, exposeHeadRoute: false }, async (request, reply) => {
    sessions.checkRoom(request.ip)
    await countMessage(request)
    takeOver(reply)
    request.answered()
    await sessions.open(serverFor(request), request.ip, reply.raw)
  })
  app.post(MESSAGES, route, async (request, reply) => {
    const { sessionId } = Object.fromEntries(new URL(request.url, 'http://localhost').searchParams)
    const session = sessions.find(sessionId)
    if (session === undefined) throw new DomainError('MCP_SESSION_NOT_FOUND')
    await countMessage(request)
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
