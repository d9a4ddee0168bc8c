import { createServer } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Ledger } from '../ledger.ts'
import type { Logger } from '../logger.ts'
import { type CallHandler, respond, toJson } from '../rpc/json-rpc.ts'
import { hasControl, withoutControl } from './control.ts'
import { DEAD_PEERS, MAX_BODY_BYTES } from './http-server.ts'
import { Subscriber, SubscriptionCounter, subscriptionMethods } from './subscriptions.ts'

// A client that does not read is disconnected when its buffer reaches this size.
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024
const OVERLOADED = 1013
const REFUSAL = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n'

/** The WebSocket interface of a node: subscriptions, and all methods of the HTTP interface. */
export function createSocketServer(ledger: Ledger, call: CallHandler) {
  const { faults, logger } = ledger
  const counter = new SubscriptionCounter()
  const http = createServer(DEAD_PEERS, (_, response) => void response.writeHead(426).end('WebSocket only'))
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_BODY_BYTES })
  http.on('upgrade', (request, socket, head) => {
    // Without a listener, a reset of a refused connection would end the process.
    socket.on('error', () => socket.destroy())
    const calls = hasControl(request) ? call : withoutControl(call)
    // Node does not close a socket with an upgrade.
    if (faults.refuseSockets) socket.end(REFUSAL, () => socket.destroy())
    else sockets.handleUpgrade(request, socket, head, (client) => serve(client, ledger, calls, counter))
  })
  sockets.on('error', (err) => logger.debug({ err }, 'localnet socket server'))
  const terminate = (): void => {
    for (const client of sockets.clients) client.terminate()
  }
  faults.onDropSockets(terminate)
  return { http, terminate }
}

function serve(client: WebSocket, ledger: Ledger, call: CallHandler, counter: SubscriptionCounter): void {
  const { bank, faults, logger } = ledger
  const subscriber = new Subscriber(bank, logger, counter, (message) => {
    if (!faults.muteSockets) write(client, toJson(message), logger)
  })
  const methods = subscriptionMethods(subscriber)
  const handle: CallHandler = (name, params) => {
    const method = methods.get(name)
    return method === undefined ? call(name, params) : method(params)
  }
  client.on('message', (data) => {
    const body = (data as Buffer).toString('utf8')
    const text = respond(body, handle, logger)
    if (text !== '') write(client, text, logger)
  })
  client.on('error', () => client.terminate())
  client.on('close', () => subscriber.close())
}

function write(client: WebSocket, text: string, logger: Logger): void {
  if (client.readyState !== client.OPEN) return
  if (client.bufferedAmount > MAX_BUFFERED_BYTES) {
    logger.warn({ bufferedBytes: client.bufferedAmount }, 'localnet disconnected a slow WebSocket client')
    client.close(OVERLOADED)
    client.terminate()
    return
  }
  client.send(text)
}
