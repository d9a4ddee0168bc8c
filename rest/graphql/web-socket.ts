import websocket from '@fastify/websocket'
import { CloseCode, handleProtocols, makeServer } from 'graphql-ws'
import type { RawData, WebSocket } from 'ws'
import { LIMITS } from '../../schema/limits.ts'
import type { Admission } from '../../src/platform/overload/admission.ts'
import type { RestApp } from '../rest-app.ts'
import type { OperationRequest } from './charges.ts'
import { TOO_MANY_VALUES } from './guards.ts'
import { hasMoreMembers } from './json-size.ts'
import { type SocketExtra, socketOperations } from './socket-operations.ts'
import type { GraphQLServer } from './yoga.ts'

/** Open WebSockets of the process. Their streams also count against the limit of their client. */
export const MAX_SOCKETS = 1_000
export const MAX_MESSAGE_BYTES = 256 * 1024
const INIT_WAIT_MS = 3_000
const PING_INTERVAL_MS = 12_000
const CLOSE_WAIT_MS = 1_000

/** Lets routes of `scope` accept WebSockets. Until then an upgrade is a request like any other. */
export async function acceptWebSockets(scope: RestApp): Promise<void> {
  await scope.register(websocket, {
    options: { maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false, handleProtocols },
    // Broken messages are mistakes of the client. Logging them would let clients fill the disk.
    errorHandler: (_error, socket) => socket.terminate(),
    preClose: (done) => {
      const server = scope.websocketServer
      for (const client of server.clients) client.close(1001, 'Going away')
      setTimeout(() => server.clients.forEach((client) => client.terminate()), CLOSE_WAIT_MS).unref()
      server.close()
      done()
    },
  })
}

/**
 * Serves the graphql-transport-ws protocol on a WebSocket. The handlers that graphql-ws provides
 * parse a message before its size can be checked, and log the mistakes of clients.
 */
export function createSocketServer(graphql: GraphQLServer, admission: Admission) {
  const server = makeServer<Record<string, unknown>, SocketExtra>({
    connectionInitWaitTimeout: INIT_WAIT_MS,
    ...socketOperations(graphql, admission),
  })
  return (socket: WebSocket, context: OperationRequest): void => {
    const closed = server.opened(
      {
        protocol: socket.protocol,
        send: (text) => send(socket, text),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (handle) =>
          socket.on('message', (data: RawData) => {
            const text = (data as Buffer).toString()
            if (hasMoreMembers(text, LIMITS.values)) socket.close(CloseCode.BadRequest, TOO_MANY_VALUES)
            else handle(text).catch(() => socket.close(CloseCode.InternalServerError))
          }),
      },
      { context },
    )
    const stopPinging = terminateIfSilent(socket)
    socket.once('close', (code, reason) => {
      stopPinging()
      void closed(code, reason.toString())
    })
  }
}

/** Resolves when the text is sent to the network, so that a slow reader slows down its stream. */
function send(socket: WebSocket, text: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (socket.readyState === socket.OPEN) socket.send(text, () => resolve())
  else resolve()
  return promise
}

/** Terminates the socket of a client that does not answer a ping. */
function terminateIfSilent(socket: WebSocket): () => void {
  let isAlive = true
  socket.on('pong', () => (isAlive = true))
  const timer = setInterval(() => {
    if (isAlive) socket.ping()
    else socket.terminate()
    isAlive = false
  }, PING_INTERVAL_MS)
  return () => clearInterval(timer)
}
