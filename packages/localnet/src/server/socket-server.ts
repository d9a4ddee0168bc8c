import { createServer, type Server } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Logger } from '../logger.ts'
import { answerText, exactIntegers } from '../rpc/json-rpc.ts'
import type { RpcContext } from '../rpc/context.ts'
import { dispatcher } from '../rpc/dispatch.ts'
import type { Subscriptions } from './subscriptions.ts'
import { subscriptionMethods } from './subscription-methods.ts'

// A consumer that lets this much pile up is cut off: memory stays bounded, and it learns of it by the close.
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024
const OVERLOADED = 1013

export interface SocketParts {
  readonly context: RpcContext
  readonly subscriptions: Subscriptions
  readonly maxBodyBytes: number
}

export interface SocketServer {
  readonly http: Server
  /** Ends every connection. */
  terminate(): void
}

/** The WebSocket side of a node: subscriptions. Calls of the HTTP interface are answered too. */
export function createSocketServer({ context, subscriptions, maxBodyBytes }: SocketParts): SocketServer {
  const { faults, logger } = context
  const http = createServer((_, response) => void response.writeHead(426).end('WebSocket only'))
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxBodyBytes })
  http.on('upgrade', (request, socket, head) => {
    // Without a listener the reset of a refused connection would end the process.
    socket.on('error', () => socket.destroy())
    if (faults.refuseSockets) socket.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n')
    else sockets.handleUpgrade(request, socket, head, (client) => serve(client, context, subscriptions))
  })
  faults.onDropSockets(() => terminate(sockets))
  sockets.on('error', (err) => logger.debug({ err }, 'localnet socket server'))
  return { http, terminate: () => terminate(sockets) }
}

function serve(client: WebSocket, context: RpcContext, subscriptions: Subscriptions): void {
  const { faults, logger } = context
  const send = (message: unknown): void => {
    if (!faults.muteSockets) write(client, JSON.stringify(message, exactIntegers), logger)
  }
  const subscriber = subscriptions.connect(send)
  const methods = subscriptionMethods(subscriber)
  const call = dispatcher(context)
  client.on('message', (data) => {
    // ws hands over a Buffer unless told otherwise.
    const body = (data as Buffer).toString('utf8')
    const text = answerText(
      body,
      (name, params) => (methods.get(name) ?? call.bind(null, name))(params),
      logger,
    )
    if (text !== '') write(client, text, logger)
    subscriber.flush()
  })
  client.on('error', () => client.terminate())
  client.on('close', () => subscriber.close())
}

function write(client: WebSocket, text: string, logger: Logger): void {
  if (client.readyState !== client.OPEN) return
  if (client.bufferedAmount > MAX_BUFFERED_BYTES) {
    logger.warn({ bufferedBytes: client.bufferedAmount }, 'localnet cut off a slow WebSocket consumer')
    client.close(OVERLOADED)
    client.terminate()
    return
  }
  client.send(text)
}

function terminate(sockets: WebSocketServer): void {
  for (const client of sockets.clients) client.terminate()
}
