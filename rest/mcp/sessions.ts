import { hash, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type McpServer, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../src/domain/errors.ts'
import { type Counted, createConnectionLimit } from '../../src/platform/overload/connection-limit.ts'
import type { ConnectionLimits } from '../plugins/connections.ts'
import { disconnected, hijack } from '../plugins/event-stream.ts'

/** Where clients post the messages of a session. */
export const MESSAGES = '/mcp/messages'

/** Time without a message after which a session may be closed to make room for another one. */
const QUIET_MS = 60_000

const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  // Without the Keep-Alive header that Node adds otherwise. undici opens a new connection when a
  // stream is aborted, and would keep it open for the time of that header.
  connection: 'keep-alive',
}

interface Session {
  readonly transport: Transport
  /** What its messages must prove. Null if its stream has no wallet: then they prove nothing. */
  readonly proof: string | null
  readonly counted: Counted
}

/**
 * Sessions of the HTTP+SSE transport (protocol 2024-11-05): the server sends messages on a stream,
 * the client posts them to the path that the first event names. A session ends with its stream.
 */
export function createSessions({ sessions: max, sessionIdleMs: idleMs }: ConnectionLimits) {
  const sessions = new Map<string, Session>()
  const errors = { client: 'MCP_SESSIONS_FULL', process: 'TOO_MANY_SESSIONS' } as const
  const limit = createConnectionLimit({ max, errors, quietMs: QUIET_MS, idleMs })
  return {
    /** Opens a session on the response. Throws MCP_SESSIONS_FULL and TOO_MANY_SESSIONS. */
    open: async (reply: FastifyReply, createServer: () => McpServer): Promise<void> => {
      const { request, raw: stream } = reply
      limit.check(request.ip)
      hijack(reply.headers(STREAM_HEADERS))
      const signal = disconnected(request)
      if (signal.aborted) return
      const counted = limit.enter(request.ip, {
        close: (why) => void (why === 'idle' ? stream.end() : stream.destroy()),
      })
      const server = createServer()
      const id = randomUUID()
      const transport = createTransport(stream, `${MESSAGES}?sessionId=${id}`)
      sessions.set(id, { transport, proof: proofOf(request), counted })
      const end = (): void => {
        counted.leave()
        sessions.delete(id)
        void server.close()
      }
      // A response behind an earlier one emits no `close` when its client disconnects.
      signal.addEventListener('abort', end)
      stream.once('close', end)
      await server.connect(transport)
    },
    /** Passes a posted message to its session. Throws MCP_SESSION_NOT_FOUND and INVALID_REQUEST. */
    receive: (request: FastifyRequest): void => {
      const { sessionId = '' } = Object.fromEntries(new URL(request.url, 'http://localhost').searchParams)
      const session = sessions.get(sessionId)
      // The id of the session is no proof: it is in URLs, and so in logs.
      if (session === undefined || (session.proof !== null && session.proof !== proofOf(request)))
        throw new DomainError('MCP_SESSION_NOT_FOUND')
      session.counted.touch()
      try {
        session.transport.onmessage?.(parseJSONRPCMessage(request.body))
      } catch {
        throw new DomainError('INVALID_REQUEST', { problem: 'The body is not a JSON-RPC message' })
      }
    },
  }
}

/** A hash of the Authorization. Null without one: then the session has no wallet. */
const proofOf = ({ headers: { authorization } }: FastifyRequest): string | null =>
  authorization === undefined ? null : hash('sha256', authorization)

function createTransport(stream: ServerResponse, messagesUrl: string): Transport {
  const write = (event: string, data: string): void => {
    // A tool may finish after its client has disconnected.
    if (!stream.writableEnded && !stream.destroyed) stream.write(`event: ${event}\ndata: ${data}\n\n`)
  }
  const transport: Transport = {
    start: async () => write('endpoint', messagesUrl),
    send: async (message) => write('message', JSON.stringify(message)),
    close: async () => {
      stream.end()
      transport.onclose?.()
    },
  }
  return transport
}
