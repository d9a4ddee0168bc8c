import { createHash } from 'node:crypto'
import type { McpServer } from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../src/domain/errors.ts'
import { createPlaces } from '../../src/platform/overload/places.ts'
import type { ConnectionLimits } from '../plugins/connections.ts'
import { SseTransport } from './sse-transport.ts'

/** Time without a message after which a session may be closed to make room for another one. */
export const QUIET_MS = 60_000

interface Session {
  readonly transport: SseTransport
  /** What its messages must prove. Null if its stream has no wallet: then they prove nothing. */
  readonly proof: string | null
  /** The session was used. */
  readonly touch: () => void
}

/** A message to a session. The id of the session is no proof: it is in URLs, and so in logs. */
export interface PostedMessage {
  readonly sessionId: string
  /** The `proofOf` its request. */
  readonly proof: string | null
  readonly message: unknown
}

/** A hash of the Authorization. Null without one: then the session has no wallet. */
export function proofOf({ headers: { authorization } }: FastifyRequest): string | null {
  return authorization === undefined ? null : createHash('sha256').update(authorization).digest('base64')
}

/** Sessions of the HTTP+SSE transport (protocol 2024-11-05). A session ends with its stream. */
export interface Sessions {
  /** Throws MCP_SESSIONS_FULL and TOO_MANY_SESSIONS. */
  checkLimit(clientIp: string): void
  open(server: McpServer, reply: FastifyReply): Promise<void>
  /** Passes a posted message to its session. Throws MCP_SESSION_NOT_FOUND and INVALID_REQUEST. */
  receive(posted: PostedMessage): void
  closeAll(): Promise<void>
}

type SessionLimits = Pick<ConnectionLimits, 'sessions' | 'sessionIdleMs'>

export function createSessions(
  messagesPath: string,
  { sessions: max, sessionIdleMs }: SessionLimits,
): Sessions {
  const sessions = new Map<string, Session>()
  const places = createPlaces(max, { client: 'MCP_SESSIONS_FULL', process: 'TOO_MANY_SESSIONS' })
  return {
    checkLimit: (clientIp) => places.check(clientIp),
    open: async (server, { request, raw: response }) => {
      const transport = new SseTransport(messagesPath, response)
      let isQuiet = false
      // There is one: `checkLimit` was called just before.
      const place = places.enter(request.ip, { isIdle: () => isQuiet, close: () => response.destroy() })
      const quiet = setTimeout(() => (isQuiet = true), QUIET_MS).unref()
      const idle = setTimeout(() => void transport.close(), sessionIdleMs).unref()
      const touch = (): void => {
        isQuiet = false
        quiet.refresh()
        idle.refresh()
        place.touch()
      }
      sessions.set(transport.sessionId, { transport, proof: proofOf(request), touch })
      response.once('close', () => {
        clearTimeout(quiet)
        clearTimeout(idle)
        place.leave()
        sessions.delete(transport.sessionId)
        void server.close()
      })
      await server.connect(transport)
    },
    receive: ({ sessionId, proof, message }) => {
      const session = sessions.get(sessionId)
      if (session === undefined || (session.proof !== null && session.proof !== proof))
        throw new DomainError('MCP_SESSION_NOT_FOUND')
      session.touch()
      try {
        session.transport.receive(message)
      } catch {
        throw new DomainError('INVALID_REQUEST', { problem: 'The body is not a JSON-RPC message' })
      }
    },
    closeAll: async () => {
      await Promise.all(Array.from(sessions.values(), ({ transport }) => transport.close()))
    },
  }
}
