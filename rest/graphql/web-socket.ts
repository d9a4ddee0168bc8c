import type { FastifyInstance } from 'fastify'
import websocket from '@fastify/websocket'
import { CloseCode, handleProtocols, makeServer, type OperationResult, type ServerOptions } from 'graphql-ws'
import { type ExecutionArgs, getOperationAST, GraphQLError } from 'graphql'
import type { RawData, WebSocket } from 'ws'
import { LIMITS } from '../../schema/limits.ts'
import { operationPriority } from '../../schema/priority.ts'
import type { Caller } from '../../src/identity/sessions/sessions.ts'
import { type Counted, createConnectionLimit } from '../../src/platform/overload/connection-limit.ts'
import type { Admission } from '../../src/platform/overload/admission.ts'
import type { ConnectionLimits } from '../plugins/connections.ts'
import { BYTES_PER_UNIT } from '../plugins/rate-limits.ts'
import { admitParams, type OperationRequest, socketErrors, TOO_MANY_VALUES } from './guards.ts'
import { hasMoreMembers } from '../contract/json-size.ts'
import { badRequest } from './persisted-documents.ts'
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
export async function acceptWebSockets(scope: FastifyInstance): Promise<void> {
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

/** Of the JSON of a payload, which the answer to a ping repeats. */
export const MAX_CONTROL_CHARACTERS = 1_024

/** Finds out who sends an operation, by the Authorization of `connection_init`. */
type AuthenticateSocket = (authorization: string | undefined) => Promise<Caller>

interface SocketExtra {
  readonly context: OperationRequest
  readonly authenticate: AuthenticateSocket
  isBusy: () => boolean
  touch: () => void
}

type Run = (args: ExecutionArgs) => OperationResult
type SocketOptions = ServerOptions<Record<string, unknown>, SocketExtra>

/** How graphql-ws passes from `onSubscribe` what `execute` and `subscribe` need. */
interface RootValue {
  readonly execute: Run
  readonly subscribe: Run
  /** Ends the operation's time in flight. */
  readonly release: () => void
}

/** Runs operations of sockets with the limits, context and error texts of HTTP requests. */
function socketOperations(
  { yoga, toClientError, documents }: GraphQLServer,
  admission: Admission,
): SocketOptions {
  return {
    onConnect: (context) => {
      context.extra.isBusy = () => Object.keys(context.subscriptions).length > 0
    },
    onPing: (_context, payload) => checkControlPayload(payload),
    onPong: (_context, payload) => checkControlPayload(payload),
    onSubscribe: async ({ extra, connectionParams }, _id, payload) => {
      extra.touch()
      try {
        extra.context.charge(1, 0)
        admission.check('high', extra.context.clientIp)
        const params = admitParams(documents, extra.context, payload)
        const { schema, parse, validate, contextFactory, execute, subscribe } = yoga.getEnveloped({
          ...extra.context,
          authenticate: () => extra.authenticate(authorizationOf(connectionParams)),
          params,
        })
        const document = parse(params.query)
        const errors = validate(schema, document)
        if (errors.length > 0) return errors
        const { operationName, variables: variableValues } = params
        if (!getOperationAST(document, operationName))
          return [new GraphQLError('operationName must name an operation of the document')]
        const contextValue = await contextFactory()
        const release = admission.admit(operationPriority(document, operationName), extra.context.clientIp)
        const rootValue: RootValue = { execute, subscribe, release }
        return { schema, document, operationName, variableValues, contextValue, rootValue }
      } catch (error) {
        return [toClientError(error)]
      }
    },
    execute: (args) => whileInFlight(args, 'execute'),
    subscribe: (args) => whileInFlight(args, 'subscribe'),
    onNext: (_context, _id, _params, _args, result) =>
      result.errors === undefined
        ? undefined
        : { ...result, errors: socketErrors(result.errors, toClientError) },
    onError: (_context, _id, _payload, errors) => socketErrors(errors, toClientError),
  }
}

function checkControlPayload(payload: unknown): void {
  if (JSON.stringify(payload ?? null).length > MAX_CONTROL_CHARACTERS)
    throw badRequest(`The payload of a ping or pong has more than ${MAX_CONTROL_CHARACTERS} characters`)
}

/** Clients write the name in upper or lower case. */
function authorizationOf(params: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const given = params?.['Authorization'] ?? params?.['authorization']
  return typeof given === 'string' ? given : undefined
}

/** A query is in flight until it is answered, a subscription until it is open. */
async function whileInFlight(
  args: ExecutionArgs,
  step: 'execute' | 'subscribe',
): Promise<Awaited<OperationResult>> {
  const root = args.rootValue as RootValue
  try {
    return await root[step](args)
  } finally {
    root.release()
  }
}
