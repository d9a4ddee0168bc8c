import type { Socket } from 'node:net'
import type { PlaceLimits } from '../../src/platform/overload/places.ts'
import type { RestApp } from '../rest-app.ts'

/** Time limits of a connection, in ms, and the number of connections. */
export interface ConnectionLimits {
  /** From the connection, or the first byte of a later request, to the end of the headers. */
  readonly headersMs: number
  /** From the same moment to the end of the body. */
  readonly requestMs: number
  /** How often both limits are checked, which is how late they may take effect. */
  readonly checkMs: number
  /** From a response to the next request. */
  readonly keepAliveMs: number
  /** Without a byte in either direction, while a response is created or read. */
  readonly stalledMs: number
  /** Without a packet from the client, until the first of ten probes, one per second. */
  readonly probeMs: number
  /** From an upgrade request to its response. */
  readonly upgradeMs: number
  /** From the begin of the stop to the end of all connections. */
  readonly closeMs: number
  /** Connections of the process, including streams and WebSockets. More are closed at once. */
  readonly maxConnections: number
  /** Connections of a client network without a complete request. The oldest above it get 408. */
  readonly incompletePerClient: number
  /** How long an incomplete request is safe from that limit, in ms. */
  readonly incompleteGraceMs: number
  /** WebSockets at /graphql. */
  readonly sockets: PlaceLimits
  /** Time without an operation after which a WebSocket is closed. */
  readonly socketIdleMs: number
  /** Sessions of the MCP transport over SSE. */
  readonly sessions: PlaceLimits
  /** Time without a message after which a session is closed. */
  readonly sessionIdleMs: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headersMs: 15_000,
  requestMs: 30_000,
  checkMs: 5_000,
  // Longer than the 60 s of most proxies. If the proxy closes the connection, no request is lost.
  keepAliveMs: 72_000,
  // Longer than any response takes, and longer than the time between two pings of a stream.
  stalledMs: 60_000,
  probeMs: 15_000,
  upgradeMs: 10_000,
  // Longer than a request takes, and short enough for the 30 s of Kubernetes.
  closeMs: 15_000,
  maxConnections: 10_000,
  incompletePerClient: 100,
  incompleteGraceMs: 1_000,
  sockets: { perClient: 20, total: 1_000 },
  socketIdleMs: 60_000,
  sessions: { perClient: 20, total: 500 },
  sessionIdleMs: 600_000,
}

/** Retry-After of a refusal because of too many open streams, seconds. */
export const PLACE_RETRY_SECONDS = 30

/** Per connection. Node parses a thousand pipelined requests before it sends a response. */
export const MAX_UNANSWERED = 32

/** Cuts a connection that sends many requests without reading the responses. */
export function limitPipelining(app: RestApp): void {
  const unanswered = new WeakMap<Socket, number>()
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    const count = unanswered.get(socket) ?? 0
    if (socket.destroyed || count >= MAX_UNANSWERED) {
      socket.destroy()
      reply.hijack()
      return
    }
    unanswered.set(socket, count + 1)
    reply.raw.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
    done()
  })
}

/**
 * Owns the connections of the server. It closes those that Node does not: of refused upgrades, and
 * of clients that keep theirs open while the service stops. Returns all that are open.
 */
export function ownSockets(app: RestApp, { upgradeMs, closeMs }: ConnectionLimits): Set<Socket> {
  const open = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  closeRefusedUpgrades(app, upgradeMs)
  closeAfterResponse(app)
  app.addHook('preClose', async () => {
    setTimeout(() => open.forEach((socket) => socket.destroy()), closeMs).unref()
  })
  return open
}

/** Node gives up a socket with an upgrade: it no longer reads from it, nor closes it. */
function closeRefusedUpgrades(app: RestApp, upgradeMs: number): void {
  const upgrading = new WeakSet<Socket>()
  app.server.prependListener('upgrade', (_request, socket: Socket) => {
    upgrading.add(socket)
    // An accepted WebSocket resets it, and is pinged.
    socket.setTimeout(upgradeMs, () => socket.destroy())
  })
  app.addHook('onResponse', ({ raw: { socket } }, _reply, done) => {
    if (upgrading.has(socket)) socket.destroy()
    done()
  })
}

/** Closes a connection after the response to an upgrade, and after any while the service stops. */
function closeAfterResponse(app: RestApp): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onSend', ({ headers }, reply, _payload, done) => {
    if (closing || headers.upgrade !== undefined) reply.header('connection', 'close')
    done()
  })
}
