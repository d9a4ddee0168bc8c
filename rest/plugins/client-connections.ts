import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clientNetwork } from '../../src/domain/client-network.ts'
import { addressMatcher } from '../../src/platform/net/address-guard.ts'
import { QUEUE_DELAY_MS } from '../../src/platform/overload/admission.ts'
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

/** Requests that are begun in one turn for all networks that wait: at least one of each. */
const REQUESTS_PER_TURN = 16
/** What a refusal takes of a turn. If it took a whole request, a long queue would never end. */
const REFUSAL = 1 / 4

declare module 'fastify' {
  interface FastifyRequest {
    /** How long the request waited for a turn. 0 if the queue of its network was just empty. */
    turnWaitMs: number
  }
}

/**
 * Lets client networks take turns, before anything is done for a request. A network with hundreds
 * of connections delays its own requests, and others by those of one turn. Load shedding refuses
 * requests that waited too long.
 */
export function takeTurns(app: RestApp, now: () => number = () => performance.now()): void {
  app.decorateRequest('turnWaitMs', 0)
  const begun = new Map<string, number>()
  const waiting = new Map<string, { readonly since: number; readonly queue: (() => number)[] }>()
  let isTurnSet = false
  const setTurn = (): void => {
    if (!isTurnSet) setImmediate(nextTurn)
    isTurnSet = true
  }
  const share = (): number => Math.ceil(REQUESTS_PER_TURN / Math.max(1, waiting.size))
  const nextTurn = (): void => {
    isTurnSet = false
    begun.clear()
    const max = share()
    for (const [client, { queue }] of waiting) {
      let [taken, count] = [0, 0]
      for (; count < max && taken < queue.length; taken += 1) count += queue[taken]!()
      queue.splice(0, taken)
      if (queue.length === 0) waiting.delete(client)
      begun.set(client, count)
    }
    if (waiting.size > 0) setTurn()
  }
  app.addHook('onRequest', (request, reply, done) => {
    /** Returns what the request took of a turn: nothing if the client has disconnected before. */
    const begin = (): number => {
      if (request.raw.socket.destroyed) {
        reply.hijack()
        return 0
      }
      // The hooks that refuse a request run before this returns.
      done()
      return request.isShed ? REFUSAL : 1
    }
    const client = clientNetwork(request.ip)
    const count = begun.get(client) ?? 0
    setTurn()
    if (count < share()) {
      begun.set(client, count + 1)
      begin()
      return
    }
    const arrived = now()
    const { since, queue } = waiting.get(client) ?? { since: arrived, queue: [] }
    waiting.set(client, { since, queue })
    queue.push(() => {
      // A queue that was empty a moment ago is a burst.
      if (now() - since > QUEUE_DELAY_MS) request.turnWaitMs = now() - arrived
      return begin()
    })
  })
}
