import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL, makeServer } from 'graphql-ws'
import type { RawData, WebSocket } from 'ws'
import type { RequestContext } from '../../schema/context.ts'
import { LIMITS } from '../../schema/limits.ts'
import type { Admission } from '../../src/platform/overload/admission.ts'
import { TOO_MANY_VALUES } from './guards.ts'
import { hasMoreMembers } from './json-size.ts'
import { type SocketExtra, socketOperations } from './socket-operations.ts'
import type { GraphQLServer } from './yoga.ts'

const INIT_WAIT_MS = 3_000
const PING_MS = 12_000

/** Serves the protocol graphql-transport-ws (graphql-ws) on sockets that are open already. */
export function createSocketServer(graphql: GraphQLServer, admission: Admission) {
  const server = makeServer<Record<string, unknown>, SocketExtra>({
    connectionInitWaitTimeout: INIT_WAIT_MS,
    ...socketOperations(graphql, admission),
  })
  return (socket: WebSocket, context: RequestContext): void => {
    const closed = server.opened(
      {
        protocol: socket.protocol,
        send: (text) => written(socket, text),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (take) =>
          socket.on('message', (data: RawData) => {
            const text = (data as Buffer).toString()
            if (hasMoreMembers(text, LIMITS.values)) socket.close(CloseCode.BadRequest, TOO_MANY_VALUES)
            else take(text).catch(() => socket.close(CloseCode.InternalServerError))
          }),
      },
      { context },
    )
    const stopPinging = endSilent(socket)
    socket.on('error', () => socket.terminate())
    socket.once('close', (code, reason) => {
      stopPinging()
      void closed(code, reason.toString())
    })
  }
}

export const offersProtocol = (protocols: ReadonlySet<string>): string | false =>
  protocols.has(GRAPHQL_TRANSPORT_WS_PROTOCOL) && GRAPHQL_TRANSPORT_WS_PROTOCOL

/** Resolves when it is written out: what a slow reader has not taken is not made. */
function written(socket: WebSocket, text: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (socket.readyState === socket.OPEN) socket.send(text, () => resolve())
  else resolve()
  return promise
}

/** Ends the socket of a client that answers no ping. */
function endSilent(socket: WebSocket): () => void {
  let answered = true
  socket.on('pong', () => (answered = true))
  const timer = setInterval(() => {
    if (answered) socket.ping()
    else socket.terminate()
    answered = false
  }, PING_MS)
  return () => clearInterval(timer)
}
