import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'

export interface ReceivedRequest {
  readonly method: string
  /** Includes the query string. */
  readonly path: string
  readonly headers: IncomingMessage['headers']
  /** Names and values alternately, in the case in which they were sent. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The number of the connection, starting at 1. */
  readonly connection: number
}

interface ScriptedResponse {
  readonly status?: number
  readonly headers?: Record<string, string | string[]>
  readonly body?: string | Uint8Array
}

/** A fixed response, or a function that can write any response, or none. */
export type Reply =
  | ScriptedResponse
  | ((request: ReceivedRequest, response: ServerResponse) => ScriptedResponse | void)

/**
 * A real HTTP server on loopback, with TLS if `tls` is given. By default it sends 200 with an empty
 * body.
 */
export async function startReceiver({
  tls,
  reply = {},
  host = '127.0.0.1',
  port = 0,
}: { tls?: ServerOptions; reply?: Reply; host?: string; port?: number } = {}) {
  const requests: ReceivedRequest[] = []
  const sockets = new Map<number, Socket>()
  const waiting = new Set<() => void>()
  let connections = 0
  let script: Reply[] = [reply]

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer)
    } catch {
      return
    }
    const from = incoming.socket.remotePort
    const request: ReceivedRequest = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      rawHeaders: incoming.rawHeaders,
      body: Buffer.concat(chunks),
      at: Date.now(),
      connection: [...sockets].find(([, socket]) => socket.remotePort === from)?.[0] ?? 0,
    }
    requests.push(request)
    const next = script.length > 1 ? script.shift()! : script[0]!
    const scripted = typeof next === 'function' ? next(request, response) : next
    if (scripted !== undefined)
      response.writeHead(scripted.status ?? 200, scripted.headers).end(scripted.body)
    for (const check of waiting) check()
  }
  const listener = (incoming: IncomingMessage, response: ServerResponse): void => {
    // A client that disconnects makes the write fail.
    response.on('error', () => undefined)
    void handle(incoming, response)
  }
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
  server.on('connection', (socket: Socket) => {
    connections += 1
    const number = connections
    sockets.set(number, socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(number))
  })
  server.on('tlsClientError', () => undefined)
  server.listen(port, host)
  await once(server, 'listening')
  const bound = (server.address() as AddressInfo).port

  return {
    port: bound,
    server,
    requests: requests as readonly ReceivedRequest[],
    /** All accepted connections, also those without a request or with a failed TLS handshake. */
    get connections() {
      return connections
    },
    get openConnections() {
      return sockets.size
    },
    /** `name` must resolve to 127.0.0.1 for the client. */
    url: (path = '/', name = host) => `${tls === undefined ? 'http' : 'https'}://${name}:${bound}${path}`,
    /** Sends each response once, then the last one for all further requests. */
    respondWith: (...replies: Reply[]) => {
      script = replies
    },
    /** Waits until the total number of requests is at least `count`. */
    received: (count: number) => {
      const { promise, resolve } = Promise.withResolvers<readonly ReceivedRequest[]>()
      const check = (): void => void (requests.length >= count && resolve(requests))
      waiting.add(check)
      check()
      return promise
    },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets.values()) socket.destroy()
      await closed
    },
  }
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>
