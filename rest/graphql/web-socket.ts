import websocket from '@fastify/websocket'
import { CloseCode, handleProtocols, makeServer } from 'graphql-ws'
import type { RawData, WebSocket } from 'ws'
import { LIMITS } from '../../schema/limits.ts'
import { clientNetwork } from '../../src/domain/client-network.ts'
import { DomainError } from '../../src/domain/errors.ts'
import { createPlaces } from '../../src/platform/overload/places.ts'
import type { Admission } from '../../src/platform/overload/admission.ts'
import { type ConnectionLimits, PLACE_RETRY_SECONDS } from '../plugins/connections.ts'
import type { RestApp } from '../rest-app.ts'
import type { OperationRequest } from './charges.ts'
import { TOO_MANY_VALUES } from './guards.ts'
import { hasMoreMembers } from '../contract/json-size.ts'
import { type AuthenticateSocket, type SocketExtra, socketOperations } from './socket-operations.ts'
import { limitReading, type SocketReading } from './socket-reading.ts'
import type { GraphQLServer } from './yoga.ts'

export const MAX_MESSAGE_BYTES = 256 * 1024
const INIT_WAIT_MS = 3_000
const PING_INTERVAL_MS = 12_000
const CLOSE_WAIT_MS = 1_000
/** Clients reopen a socket that was closed with this code when they have an operation. */
const NORMAL = 1000
/** Clients reopen a socket that was closed with this code at once, and repeat its subscriptions. */
const TRY_AGAIN_LATER = 1013

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
  const places = createPlaces(max)
  const server = makeServer<Record<string, unknown>, SocketExtra>({
    connectionInitWaitTimeout: INIT_WAIT_MS,
    ...socketOperations(graphql, admission),
  })
  return {
    checkLimit: (clientIp) => {
      const options = { retryAfterSeconds: PLACE_RETRY_SECONDS }
      switch (places.refusal(clientNetwork(clientIp))) {
        case 'client':
          throw new DomainError('CLIENT_SOCKETS_FULL', { max: max.perClient }, options)
        case 'process':
          throw new DomainError('TOO_MANY_SOCKETS', {}, options)
        default:
      }
    },
    serve: (socket, context, authenticate) => {
      const operationStarted = (): void => {
        idle.refresh()
        if (typeof place !== 'string') place.touch()
      }
      const extra: SocketExtra = { context, authenticate, isIdle: () => true, operationStarted }
      const idle = setTimeout(() => {
        if (extra.isIdle()) socket.close(NORMAL, 'Idle')
        else idle.refresh()
      }, socketIdleMs)
      const place = places.enter(clientNetwork(context.clientIp), {
        isIdle: () => extra.isIdle(),
        close: () => socket.close(extra.isIdle() ? NORMAL : TRY_AGAIN_LATER, 'Closed to make room'),
      })
      const reading = limitReading(socket)
      for (const frame of ['message', 'ping', 'pong'] as const) socket.on(frame, () => reading.received())
      const closed = server.opened(
        {
          protocol: socket.protocol,
          send: (text) => send(socket, text, reading),
          close: (code, reason) => socket.close(code, reason),
          onMessage: (handle) =>
            socket.on('message', (data: RawData) => {
              // Messages still arrive until the client confirms that the socket is closed.
              if (socket.readyState !== socket.OPEN) return
              const text = (data as Buffer).toString()
              if (hasMoreMembers(text, LIMITS.values)) socket.close(CloseCode.BadRequest, TOO_MANY_VALUES)
              else handle(text).catch(() => socket.close(CloseCode.InternalServerError))
            }),
        },
        extra,
      )
      const stopPinging = terminateIfSilent(socket)
      socket.once('close', (code, reason) => {
        clearTimeout(idle)
        if (typeof place !== 'string') place.leave()
        stopPinging()
        void closed(code, reason.toString())
      })
      // Sockets that were upgraded at the same time may have taken the last place.
      if (typeof place === 'string') socket.close(TRY_AGAIN_LATER, 'Too many open WebSockets')
    },
  }
}

/** Resolves when the text is sent to the network, so that a slow reader slows down its stream. */
function send(socket: WebSocket, text: string, reading: SocketReading): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (socket.readyState !== socket.OPEN) return Promise.resolve()
  socket.send(text, () => {
    reading.sendingChanged()
    resolve()
  })
  reading.sendingChanged()
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
