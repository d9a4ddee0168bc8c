import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clientNetwork } from '../../src/domain/client-network.ts'
import { addressMatcher } from '../../src/platform/net/address-guard.ts'
import type { RestApp } from '../rest-app.ts'
import type { ConnectionLimits } from './connections.ts'
import { endWithTimeout, hasBody } from './server-options.ts'

/** From this share of all connections on, room is made for new ones. */
const NEARLY_FULL = 0.95
/** The share that is closed at once, so that a search for the largest client is rare. */
const CLOSED_TOGETHER = 0.01

type Limits = Pick<ConnectionLimits, 'maxConnections' | 'incompletePerClient' | 'incompleteGraceMs'>

/** The connections of a client network that wait for the client, the oldest first. */
interface Client {
  /** A request has not fully arrived, or none has begun. With the time of its begin, in ms. */
  readonly incomplete: Map<Socket, number>
  /** The response was sent, and the next request has not arrived. */
  readonly idle: Set<Socket>
  open: number
}

interface Owner {
  readonly client: Client
  /** Requests without a complete response. */
  active: number
}

/**
 * Limits the connections of each client network whose request has not fully arrived: the oldest
 * ones get 408. If the process has nearly all its connections, those of the network with the most
 * that wait for their client are closed. Connections of `proxies` belong to many clients, so only
 * their request bodies are limited, by the client that the proxy names.
 */
export function limitClientConnections(
  app: RestApp,
  open: Set<Socket>,
  limits: Limits,
  proxies: readonly string[],
  now: () => number = () => performance.now(),
): void {
  const clients = new Map<string, Client>()
  const owners = new WeakMap<Socket, Owner>()
  const latestWithBody = new WeakMap<Socket, IncomingMessage>()
  const isProxy = addressMatcher(proxies)

  const clientOf = (address: string): Client => {
    const network = clientNetwork(address)
    const client = clients.get(network) ?? { incomplete: new Map(), idle: new Set(), open: 0 }
    clients.set(network, client)
    return client
  }
  const forgetUnused = (address: string, { open, incomplete }: Client): void => {
    if (open === 0 && incomplete.size === 0) clients.delete(clientNetwork(address))
  }
  const endOldest = (client: Client): void => {
    for (const [socket, since] of client.incomplete) {
      if (client.incomplete.size <= limits.incompletePerClient) return
      // Requests of connections that were opened together may have arrived, but not been read yet.
      if (now() - since < limits.incompleteGraceMs) return
      client.incomplete.delete(socket)
      endWithTimeout(socket)
    }
  }
  const makeRoom = (): void => {
    const waiting = (client: Client): number => client.incomplete.size + client.idle.size
    let largest: Client | undefined
    for (const client of clients.values())
      if (largest === undefined || waiting(client) > waiting(largest)) largest = client
    // A single connection may have been opened just now.
    if (largest === undefined || waiting(largest) < 2) return
    const count = Math.max(1, Math.floor(limits.maxConnections * CLOSED_TOGETHER))
    for (const socket of [...largest.idle.keys(), ...largest.incomplete.keys()].slice(0, count)) {
      largest.idle.delete(socket)
      largest.incomplete.delete(socket)
      // Its `close` event comes later than the next connections.
      open.delete(socket)
      socket.destroy()
    }
  }

  app.server.on('connection', (socket: Socket) => {
    const { remoteAddress: address } = socket
    const client = address === undefined || isProxy(address) ? null : clientOf(address)
    socket.once('close', () => {
      if (client === null || address === undefined) return
      client.incomplete.delete(socket)
      client.idle.delete(socket)
      client.open -= 1
      forgetUnused(address, client)
    })
    if (client !== null) {
      client.open += 1
      client.incomplete.set(socket, now())
      owners.set(socket, { client, active: 0 })
      endOldest(client)
    }
    if (open.size > limits.maxConnections * NEARLY_FULL) makeRoom()
  })

  const arrived = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    const owner = owners.get(socket)
    if (owner === undefined) return
    const { client } = owner
    owner.active += 1
    client.idle.delete(socket)
    client.incomplete.delete(socket)
    response.once('close', () => {
      owner.active -= 1
      if (owner.active === 0 && !socket.destroyed) client.idle.add(socket)
    })
  }
  const receiveBody = (request: IncomingMessage, ip: string): void => {
    const { socket } = request
    const client = clientOf(ip)
    client.incomplete.set(socket, now())
    latestWithBody.set(socket, request)
    const isComplete = (): void => {
      // A pipelined request may have begun before this one was closed.
      if (latestWithBody.get(socket) === request) client.incomplete.delete(socket)
      forgetUnused(ip, client)
    }
    request.once('end', isComplete).once('close', isComplete)
    endOldest(client)
  }
  app.server.prependListener('request', arrived)
  app.server.prependListener('checkExpectation', arrived)
  app.addHook('onRequest', ({ raw: request, ip }, _reply, done) => {
    if (hasBody(request)) receiveBody(request, ip)
    done()
  })
  app.server.prependListener('upgrade', ({ socket }: IncomingMessage) => {
    const client = owners.get(socket)?.client
    client?.incomplete.delete(socket)
    client?.idle.delete(socket)
  })
}

/** X-Forwarded-For may have thousands of entries, and each WebSocket message needs the client. */
export function readForwardedOnce(app: RestApp): void {
  app.addHook('onRequest', (request, _reply, done) => {
    Object.defineProperty(request, 'ip', { value: request.ip })
    done()
  })
}
