import websocket from '@fastify/websocket'
import { CloseCode, handleProtocols, makeServer } from 'graphql-ws'
import { GraphQLError } from 'graphql'
import type { RawData, WebSocket } from 'ws'
import { LIMITS } from '../../schema/limits.ts'
import { type Counted, createConnectionLimit } from '../../src/platform/overload/connection-limit.ts'
import type { Admission } from '../../src/platform/overload/admission.ts'
import type { ConnectionLimits } from '../plugins/connections.ts'
import { BYTES_PER_UNIT } from '../plugins/rate-limits.ts'
import type { RestApp } from '../rest-app.ts'
import type { OperationRequest } from './charges.ts'
import { TOO_MANY_VALUES } from './guards.ts'
import { hasMoreMembers } from '../contract/json-size.ts'
import { type AuthenticateSocket, type SocketExtra, socketOperations } from './socket-operations.ts'
import type { GraphQLServer } from './yoga.ts'

export const MAX_MESSAGE_BYTES = 256 * 1024
/** Units of a message or control frame. It takes about 0.02 ms. */
export const MESSAGE_UNITS = 0.05
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

/**
 * The handlers that graphql-ws provides parse a message before its size can be checked, and log the
 * mistakes of clients.
 */
export function createSocketServer(
  graphql: GraphQLServer,
  admission: Admission,
  { sockets: max, socketIdleMs: idleMs }: Pick<ConnectionLimits, 'sockets' | 'socketIdleMs'>,
) {
  const errors = { client: 'CLIENT_SOCKETS_FULL', process: 'TOO_MANY_SOCKETS' } as const
  const limit = createConnectionLimit({ max, errors, quietMs: 0, idleMs })
  const server = makeServer<Record<string, unknown>, SocketExtra>({
    connectionInitWaitTimeout: INIT_WAIT_MS,
    ...socketOperations(graphql, admission),
  })
  return {
    /** Throws CLIENT_SOCKETS_FULL and TOO_MANY_SOCKETS. */
    checkLimit: (clientIp: string): void => limit.check(clientIp),
    /** Serves the graphql-transport-ws protocol on a WebSocket. */
    serve: (socket: WebSocket, context: OperationRequest, authenticate: AuthenticateSocket): void => {
      const extra: SocketExtra = { context, authenticate, isBusy: () => false, touch: () => undefined }
      const close = (): void =>
        extra.isBusy() ? socket.close(TRY_AGAIN_LATER, 'Closed to make room') : socket.close(NORMAL, 'Idle')
      let counted: Counted
      try {
        counted = limit.enter(context.clientIp, { isBusy: () => extra.isBusy(), close })
      } catch {
        // Sockets that were upgraded at the same time have taken the last place.
        socket.close(TRY_AGAIN_LATER, 'Too many open WebSockets')
        return
      }
      extra.touch = () => counted.touch()
      const received = chargeMessages(socket, context.chargeUsed)
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
        counted.leave()
        stopPinging()
        void closed(code, reason.toString())
      })
    },
  }
}

/**
 * Charges what a client sends on a socket, before it is parsed. While its network has no units
 * left, the socket is not read, so its messages wait in the client.
 */
function chargeMessages(
  socket: WebSocket,
  chargeUsed: (units: number) => number,
): (data: { readonly byteLength: number }) => void {
  let timer: NodeJS.Timeout | undefined
  const update = (units: number): void => {
    const waitMs = chargeUsed(units)
    if (waitMs > 0) socket.pause()
    else if (socket.isPaused) socket.resume()
    clearTimeout(timer)
    timer = waitMs > 0 ? setTimeout(update, waitMs, 0) : undefined
  }
  socket.once('close', () => clearTimeout(timer))
  return ({ byteLength }) => update(MESSAGE_UNITS + byteLength / BYTES_PER_UNIT)
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
