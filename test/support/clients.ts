import { connect, type Socket } from 'node:net'
import { createClient, type Client } from 'graphql-ws'
import { Agent, request } from 'undici'
import { WebSocket } from 'ws'

/** A client with an address of its own: each 127.0.0.x is a client network. */
export function clientAt(address: string, port: number) {
  const sockets: { destroy(): void }[] = []
  const agent = new Agent({ localAddress: address, connections: 1 })
  const url = `http://127.0.0.1:${port}`
  const webSocket = class extends WebSocket {
    constructor(target: string, protocols: string) {
      super(target, protocols, { localAddress: address })
      sockets.push({ destroy: () => this.terminate() })
    }
  }
  return {
    /** Sends a request and returns the status, body and headers of its response. */
    send: async (path: string, options: { method?: 'GET' | 'POST'; body?: string } = {}) => {
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      const response = await request(url + path, { dispatcher: agent, ...options, headers })
      return { status: response.statusCode, text: await response.body.text(), headers: response.headers }
    },
    /** Opens a connection and sends bytes. */
    open: (bytes: string): Socket => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: address })
      sockets.push(socket)
      socket.on('error', () => undefined)
      socket.write(bytes)
      return socket
    },
    /** Opens a WebSocket at /graphql. */
    webSocket: (): WebSocket => new webSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws'),
    /** Creates a client of graphql-ws. */
    graphql: (options: Partial<Parameters<typeof createClient>[0]> = {}): Client =>
      createClient({
        url: `ws://127.0.0.1:${port}/graphql`,
        webSocketImpl: webSocket,
        retryAttempts: 0,
        ...options,
      }),
    close: async (): Promise<void> => {
      for (const each of sockets) each.destroy()
      await agent.destroy()
    },
  }
}

export type TestClient = ReturnType<typeof clientAt>
