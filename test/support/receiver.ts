import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'

export interface ReceivedRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: IncomingMessage['headers']
  /** Names and values by turns, in the case they were sent in. */
  readonly rawHeaders: readonly string[]
  /** The bytes as they arrived. */
  readonly body: Buffer
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Counts the connections from 1. */
  readonly connection: number
}

export interface ScriptedResponse {
  readonly status?: number
  readonly headers?: Record<string, string | string[]>
  readonly body?: string | Uint8Array
}

/** A fixed answer, or one that writes what it likes, also nothing. */
export type Reply =
  | ScriptedResponse
  | ((request: ReceivedRequest, response: ServerResponse) => ScriptedResponse | void)

export interface Receiver {
  readonly port: number
  readonly server: Server
  readonly requests: readonly ReceivedRequest[]
  /** Ever accepted, also those that never became a request or failed their TLS handshake. */
  readonly connections: number
  readonly openConnections: number
  /** `host` must lead to 127.0.0.1 for whoever calls it. */
  url(path?: string, host?: string): string
  /** From now on: each answer once, the last one for ever. */
  respondWith(...answers: Reply[]): void
  /** Waits until so many requests have arrived in all. */
  received(count: number): Promise<readonly ReceivedRequest[]>
  /** Cuts what is open. */
  close(): Promise<void>
}

/** A real HTTP server on loopback, with TLS where `tls` is given. It answers 200 with an empty body until told otherwise. */
export async function startReceiver({
  tls,
  answer = {},
  host = '127.0.0.1',
  port = 0,
}: { tls?: ServerOptions; answer?: Reply; host?: string; port?: number } = {}): Promise<Receiver> {
  const requests: ReceivedRequest[] = []
  const sockets = new Map<number, Socket>()
  const waiting = new Set<() => void>()
  let connections = 0
  let script: Reply[] = [answer]

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
    const given = typeof next === 'function' ? next(request, response) : next
    if (given !== undefined) response.writeHead(given.status ?? 200, given.headers).end(given.body)
    for (const check of waiting) check()
  }
  const listener = (incoming: IncomingMessage, response: ServerResponse): void => {
    // Clients that give up break what is being written to them.
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
    requests,
    get connections() {
      return connections
    },
    get openConnections() {
      return sockets.size
    },
    url: (path = '/', name = host) => `${tls === undefined ? 'http' : 'https'}://${name}:${bound}${path}`,
    respondWith: (...answers) => {
      script = answers
    },
    received: (count) => {
      const { promise, resolve } = Promise.withResolvers<readonly ReceivedRequest[]>()
      const check = (): void => {
        if (requests.length < count) return
        waiting.delete(check)
        resolve(requests)
      }
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
