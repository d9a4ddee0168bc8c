import type { ServerResponse } from 'node:http'
import type { McpServer } from '@modelcontextprotocol/server'
import { clientNetwork } from '../../src/domain/client-network.ts'
import { DomainError } from '../../src/domain/errors.ts'
import { createPlaces, type NoPlace } from '../../src/platform/overload/places.ts'
import { type ConnectionLimits, PLACE_RETRY_SECONDS } from '../plugins/connections.ts'
import { SseTransport } from './sse-transport.ts'

/** Time without a message after which a session may be closed to make room for another one. */
export const QUIET_MS = 60_000

interface Session {
  readonly transport: SseTransport
  /** The session was used. */
  readonly touch: () => void
}

export type Received = 'accepted' | 'unknown session' | 'invalid message'

/** Sessions of the HTTP+SSE transport (protocol 2024-11-05). A session ends with its stream. */
export interface Sessions {
  /** Throws MCP_SESSIONS_FULL and TOO_MANY_SESSIONS. */
  checkLimit(clientIp: string): void
  open(server: McpServer, clientIp: string, response: ServerResponse): Promise<void>
  /** Passes a posted message to its session. */
  receive(sessionId: string, message: unknown): Received
  closeAll(): Promise<void>
}

type SessionLimits = Pick<ConnectionLimits, 'sessions' | 'sessionIdleMs'>

export function createSessions(
  messagesPath: string,
  { sessions: max, sessionIdleMs }: SessionLimits,
  idPrefix: string,
): Sessions {
  const sessions = new Map<string, Session>()
  const places = createPlaces(max)
  const refuse = (reason: NoPlace): never => {
    const options = { retryAfterSeconds: PLACE_RETRY_SECONDS }
    throw reason === 'client'
      ? new DomainError('MCP_SESSIONS_FULL', { max: max.perClient }, options)
      : new DomainError('TOO_MANY_SESSIONS', {}, options)
  }
  return {
    checkLimit: (clientIp) => {
      const reason = places.refusal(clientNetwork(clientIp))
      if (reason !== null) refuse(reason)
    },
    open: async (server, clientIp, response) => {
      const transport = new SseTransport(messagesPath, response, idPrefix)
      let isQuiet = false
      const place = places.enter(clientNetwork(clientIp), {
        isIdle: () => isQuiet,
        close: () => response.destroy(),
      })
      if (typeof place === 'string') {
        response.destroy()
        return
      }
      const quiet = setTimeout(() => (isQuiet = true), QUIET_MS).unref()
      const idle = setTimeout(() => void transport.close(), sessionIdleMs).unref()
      const touch = (): void => {
        isQuiet = false
        quiet.refresh()
        idle.refresh()
        place.touch()
      }
      sessions.set(transport.sessionId, { transport, touch })
      // The stream is silent until the client sends a request.
      response.setTimeout(0)
      response.once('close', () => {
        clearTimeout(quiet)
        clearTimeout(idle)
        place.leave()
        sessions.delete(transport.sessionId)
        void server.close()
      })
      await server.connect(transport)
    },
    receive: (sessionId, message) => {
      const session = sessions.get(sessionId)
      if (session === undefined) return 'unknown session'
      session.touch()
      try {
        session.transport.receive(message)
        return 'accepted'
      } catch {
        return 'invalid message'
      }
    },
    closeAll: async () => {
      await Promise.all(Array.from(sessions.values(), ({ transport }) => transport.close()))
    },
  }
}
