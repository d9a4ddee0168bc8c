import type { ServerResponse } from 'node:http'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { clientNetwork } from '../domain/client-network.ts'
import { DomainError } from '../errors.ts'

/** Streams held open at once. */
const MAX_SESSIONS = 500
const MAX_SESSIONS_PER_CLIENT = 20

/** Sessions of the HTTP+SSE transport (protocol 2024-11-05), each as long as its stream. */
export interface Sessions {
  /** Throws MCP_SESSIONS_FULL. */
  checkRoom(clientIp: string): void
  open(server: McpServer, clientIp: string, response: ServerResponse): Promise<void>
  find(sessionId: string | undefined): SSEServerTransport | undefined
  closeAll(): Promise<void>
}

export function createSessions(messagesPath: string): Sessions {
  const sessions = new Map<string, { transport: SSEServerTransport; client: string }>()
  const ofClient = (client: string): number =>
    Array.from(sessions.values()).filter((each) => each.client === client).length
  return {
    checkRoom: (clientIp) => {
      if (sessions.size >= MAX_SESSIONS || ofClient(clientNetwork(clientIp)) >= MAX_SESSIONS_PER_CLIENT)
        throw new DomainError('MCP_SESSIONS_FULL', { max: MAX_SESSIONS_PER_CLIENT })
    },
    open: async (server, clientIp, response) => {
      const transport = new SSEServerTransport(messagesPath, response)
      sessions.set(transport.sessionId, { transport, client: clientNetwork(clientIp) })
      response.once('close', () => {
        sessions.delete(transport.sessionId)
        void server.close()
      })
      await server.connect(transport)
    },
    find: (sessionId) => sessions.get(sessionId ?? '')?.transport,
    closeAll: async () => {
      await Promise.all(Array.from(sessions.values(), ({ transport }) => transport.close()))
    },
  }
}
