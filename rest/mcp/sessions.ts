import type { ServerResponse } from 'node:http'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { clientNetwork } from '../../src/domain/client-network.ts'
import { DomainError } from '../../src/domain/errors.ts'

/** Open streams of the process. */
export const MAX_SESSIONS = 500
export const MAX_SESSIONS_PER_CLIENT = 20
/** Bytes. A client with more unread responses is disconnected at its next request. */
export const MAX_UNREAD = 1_048_576

interface Session {
  readonly transport: SSEServerTransport
  readonly client: string
  readonly response: ServerResponse
}

/** Sessions of the HTTP+SSE transport (protocol 2024-11-05). A session ends with its stream. */
export interface Sessions {
  /** Throws MCP_SESSIONS_FULL. */
  checkLimit(clientIp: string): void
  open(server: McpServer, clientIp: string, response: ServerResponse): Promise<void>
  find(sessionId: string | undefined): SSEServerTransport | undefined
  closeAll(): Promise<void>
}

export function createSessions(messagesPath: string): Sessions {
  const sessions = new Map<string, Session>()
  const ofClient = (client: string): number =>
    Array.from(sessions.values()).filter((each) => each.client === client).length
  return {
    checkLimit: (clientIp) => {
      if (sessions.size >= MAX_SESSIONS || ofClient(clientNetwork(clientIp)) >= MAX_SESSIONS_PER_CLIENT)
        throw new DomainError('MCP_SESSIONS_FULL', { max: MAX_SESSIONS_PER_CLIENT })
    },
    open: async (server, clientIp, response) => {
      const transport = new SSEServerTransport(messagesPath, response)
      sessions.set(transport.sessionId, { transport, client: clientNetwork(clientIp), response })
      // The stream is silent until the client sends a request.
      response.setTimeout(0)
      response.once('close', () => {
        sessions.delete(transport.sessionId)
        void server.close()
      })
      await server.connect(transport)
    },
    find: (sessionId) => {
      const session = sessions.get(sessionId ?? '')
      if (session === undefined || session.response.writableLength <= MAX_UNREAD) return session?.transport
      session.response.destroy()
      return undefined
    },
    closeAll: async () => {
      await Promise.all(Array.from(sessions.values(), ({ transport }) => transport.close()))
    },
  }
}
