import { connect, type Socket } from 'node:net'
import { createClient, type Client } from 'graphql-ws'
import { Agent, request } from 'undici'
import { WebSocket } from 'ws'
import { CONNECTION_LIMITS, type ConnectionLimits } from '../../rest/plugins/connections.ts'
import { createTestApp, type TestAppOptions } from './app.ts'
import { insertAgents, type NewAgent } from './factories.ts'

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
    send: async (path: string, options: { method?: 'GET' | 'POST'; body?: string } = {}) => {
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      const response = await request(url + path, { dispatcher: agent, ...options, headers })
      return { status: response.statusCode, text: await response.body.text(), headers: response.headers }
    },
    open: (bytes: string): Socket => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: address })
      sockets.push(socket)
      socket.on('error', () => undefined)
      socket.write(bytes)
      return socket
    },
    webSocket: (): WebSocket => new webSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws'),
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

export interface Limits extends Partial<Omit<ConnectionLimits, 'reading'>> {
  readonly reading?: Partial<ConnectionLimits['reading']>
}

interface ServedOptions extends Partial<TestAppOptions> {
  readonly agents?: NewAgent[]
  /** Changes to the limits of connections of the service. */
  readonly limits?: Limits
}

/** A test app that listens on loopback. Its ledger fails, because no request may use it. */
export async function serveApp({ agents = [], limits = {}, ...options }: ServedOptions = {}) {
  const connectionLimits = {
    ...CONNECTION_LIMITS,
    ...limits,
    reading: { ...CONNECTION_LIMITS.reading, ...limits.reading },
  }
  const ledger = { call: () => Promise.reject(new Error('no test uses the ledger')) }
  const t = await createTestApp({ ledger, connectionLimits, listens: true, ...options })
  await insertAgents(t.kysely, agents)
  const clients: TestClient[] = []
  const values = async (metric: string): Promise<number[]> =>
    (await t.metrics.getSingleMetric(metric)!.get()).values.map(({ value }) => value)
  return {
    ...t,
    /** A client with this address. It is closed with the app. */
    client: (address: string): TestClient => {
      const client = clientAt(address, t.port)
      clients.push(client)
      return client
    },
    connections: (): Promise<number> =>
      new Promise((resolve, reject) =>
        t.app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
      ),
    /** The values of a metric, one for each of its labels. */
    values,
    total: async (metric: string): Promise<number> =>
      (await values(metric)).reduce((sum, value) => sum + value, 0),
    close: async (): Promise<void> => {
      for (const each of clients) await each.close()
      await t.close()
    },
  }
}

export type ServedApp = Awaited<ReturnType<typeof serveApp>>
