import websocket from '@fastify/websocket'
import { CloseCode, handleProtocols, makeServer } from 'graphql-ws'
import { GraphQLError } from 'graphql'
import type { RawData, WebSocket } from 'ws'
import { LIMITS } from '../../schema/limits.ts'
import { createPlaces, type Place, type PlaceOwner } from '../../src/platform/overload/places.ts'
import type { Admission } from '../../src/platform/overload/admission.ts'
import type { ConnectionLimits } from '../plugins/connections.ts'
import type { RestApp } from '../rest-app.ts'
import type { OperationRequest } from './charges.ts'
import { TOO_MANY_VALUES } from './guards.ts'
import { hasMoreMembers } from '../contract/json-size.ts'
import { type AuthenticateSocket, type SocketExtra, socketOperations } from './socket-operations.ts'
import { chargeMessages } from './socket-reading.ts'
import type { GraphQLServer } from './yoga.ts'

export const MAX_MESSAGE_BYTES = 256 * 1024
const INIT_WAIT_MS = 3_000
const PING_INTERVAL_MS = 12_000
const CLOSE_WAIT_MS = 1_000
/** Clients reopen a socket that was closed with this code when they have an operation. */
const NORMAL = 1000
/** Clients reopen a socket that was closed with this code at once, and repeat its subscriptions. */
const TRY_AGAIN_LATER = 1013

const SERVER_OPTIONS = {
  maxPayload: MAX_MESSAGE_BYTES,
  perMessageDeflate: false,
  handleProtocols,
  // For clients that do not confirm that their socket is closed. The types of ws lack it.
  closeTimeout: CLOSE_WAIT_MS,
}

/** Lets routes of `scope` accept WebSockets. Until then an upgrade is a request like any other. */
export async function acceptWebSockets(scope: RestApp): Promise<void> {
  await scope.register(websocket, {
    options: SERVER_OPTIONS,
    // Broken messages are mistakes of the client. Logging them would let clients fill the disk.
    errorHandler: (_error, socket) => socket.terminate(),
    preClose: (done) => {
      const server = scope.websocketServer
      for (const client of server.clients) client.close(1001, 'Going away')
      server.close()
      done()
    },
  })
}

export interface SocketServer {
  /** Throws CLIENT_SOCKETS_FULL and TOO_MANY_SOCKETS. */
  checkLimit(clientIp: string): void
  /** Serves the graphql-transport-ws protocol on a WebSocket. */
  serve(socket: WebSocket, context: OperationRequest, authenticate: AuthenticateSocket): void
}

/**
 * The handlers that graphql-ws provides parse a message before its size can be checked, and log the
 * mistakes of clients.
 */
export function createSocketServer(
  graphql: GraphQLServer,
  admission: Admission,
  { sockets: max, socketIdleMs }: Pick<ConnectionLimits, 'sockets' | 'socketIdleMs'>,
): SocketServer {
  const places = createPlaces(max, { client: 'CLIENT_SOCKETS_FULL', process: 'TOO_MANY_SOCKETS' })
  const server = makeServer<Record<string, unknown>, SocketExtra>({
    connectionInitWaitTimeout: INIT_WAIT_MS,
    ...socketOperations(graphql, admission),
  })
  /** Null if sockets that were upgraded at the same time have taken the last place. */
  const enter = (clientIp: string, owner: PlaceOwner): Place | null => {
    try {
      return places.enter(clientIp, owner)
    } catch {
      return null
    }
  }
  return {
    checkLimit: (clientIp) => places.check(clientIp),
    serve: (socket, context, authenticate) => {
      const extra: SocketExtra = {
        context,
        authenticate,
        isIdle: () => true,
        operationStarted: () => undefined,
      }
      const place = enter(context.clientIp, {
        isIdle: () => extra.isIdle(),
        close: () => socket.close(extra.isIdle() ? NORMAL : TRY_AGAIN_LATER, 'Closed to make room'),
      })
      if (place === null) {
        socket.close(TRY_AGAIN_LATER, 'Too many open WebSockets')
        return
      }
      const idle = setTimeout(() => {
        if (extra.isIdle()) socket.close(NORMAL, 'Idle')
        else idle.refresh()
      }, socketIdleMs)
      extra.operationStarted = () => {
        idle.refresh()
        place.touch()
      }
      const received = chargeMessages(socket, context.spend)
      for (const frame of ['message', 'ping', 'pong'] as const)
        socket.on(frame, (data: Buffer) => received(data))
      const closed = server.opened(
        {
          protocol: socket.protocol,
          send: (text) => send(socket, text),
          close: (code, reason) => socket.close(code, reason),
          onMessage: (handle) =>
            socket.on('message', (data: RawData) => {
              // Messages still arrive until the client confirms that the socket is closed.
              if (socket.readyState !== socket.OPEN) return
              const text = (data as Buffer).toString()
              if (hasMoreMembers(text, LIMITS.values)) socket.close(CloseCode.BadRequest, TOO_MANY_VALUES)
              else handle(text).catch((error: unknown) => closeAfter(socket, error))
            }),
        },
        extra,
      )
      const stopPinging = terminateIfSilent(socket)
      socket.once('close', (code, reason) => {
        clearTimeout(idle)
        place.leave()
        stopPinging()
        void closed(code, reason.toString())
      })
    },
  }
}

/** Resolves when the text is sent to the network, so that a slow reader slows down its stream. */
function send(socket: WebSocket, text: string): Promise<void> {
  if (socket.readyState !== socket.OPEN) return Promise.resolve()
  return new Promise((resolve) => socket.send(text, () => resolve()))
}

function closeAfter(socket: WebSocket, error: unknown): void {
  if (error instanceof GraphQLError) socket.close(CloseCode.BadRequest, error.message)
  else socket.close(CloseCode.InternalServerError)
}

/** Terminates the socket of a client that does not answer a ping, unless its answer is not read. */
function terminateIfSilent(socket: WebSocket): () => void {
  let isAlive = true
  socket.on('pong', () => (isAlive = true))
  const timer = setInterval(() => {
    if (isAlive) socket.ping()
    else if (!socket.isPaused) socket.terminate()
    isAlive = false
  }, PING_INTERVAL_MS)
  return () => clearInterval(timer)
}
