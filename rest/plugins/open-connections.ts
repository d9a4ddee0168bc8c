import type { FastifyInstance } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Counter } from 'prom-client'
import { clientNetwork } from '../../src/domain/client-network.ts'
import type { Metrics } from '../../src/platform/metrics/metrics.ts'
import { addressMatcher } from '../../src/platform/net/address-guard.ts'
import { type ConnectionLimits, cutConnection } from './connections.ts'
import { endWithTimeout, hasBody } from './server-options.ts'

/** How often slow connections are looked for. Creating the largest response takes about 20 ms. */
const CHECK_MS = 250
/** Per connection. Node parses a thousand pipelined requests before it sends a response. */
export const MAX_UNANSWERED = 32
/** From this share of all connections on, room is made for new ones. */
const NEARLY_FULL = 0.95
/** The share that is closed at once, so that a search for the largest client is rare. */
const CLOSED_TOGETHER = 0.01
/** When the service stops, a request that has arrived is read within this time. */
const UNUSED_MS = 200

interface Connection {
  readonly socket: Socket
  /** The network at its other end. Null for a trusted proxy, which connects for many clients. */
  readonly peer: string | null
  /** The client of its latest request, which is not the other end behind a proxy. */
  clientIp: string
  /** A request that has not fully arrived: whose it is, and when it or the connection began. */
  arriving: { readonly client: string; readonly since: number } | null
  /** Responses that are not sent yet. Those after the first wait outside of the socket. */
  readonly unanswered: Set<ServerResponse>
  isUpgraded: boolean
  /**
   * When the average of its speed began, and what was sent until then. Null without unsent bytes.
   */
  measured: { readonly since: number; readonly sent: number } | null
}

/**
 * Limits the connections of the server, by a list of those that are open. It closes those that Node
 * does not: of clients that do not send their request or do not read the response, of networks that
 * have too many, of refused upgrades, and of clients that keep theirs while the service stops.
 */
export function limitConnections(
  app: FastifyInstance,
  limits: ConnectionLimits,
  proxies: readonly string[],
  metrics: Metrics,
): void {
  const slowReaders = new Counter({
    name: 'gateway_slow_readers_closed_total',
    help: 'Connections closed because their client did not read, or too slowly, what was sent to it',
    registers: [metrics],
  })
  const closeSlowReader = (socket: Socket): void => {
    slowReaders.inc()
    cutConnection(socket)
  }
  const open = listConnections(app, limits.maxConnections, proxies, closeSlowReader)
  closeUpgrades(app, open, limits.upgradeMs)
  closeWithService(app, open, limits.closeMs)
  const timer = setInterval(() => {
    const now = performance.now()
    const connections = [...open.values()]
    for (const connection of lateSenders(connections, limits, now)) {
      connection.arriving = null
      endWithTimeout(connection.socket)
    }
    const unsent = connections.map((each) => measureUnsent(each, limits.reading.slowMs, now))
    const waiting = unsent.filter((each) => each !== null)
    const isSlow = ({ bytesPerSecond = Infinity }: Unsent<Socket>): boolean =>
      bytesPerSecond < limits.reading.bytesPerSecond
    for (const { socket } of waiting.filter(isSlow)) closeSlowReader(socket)
    for (const socket of excess(
      waiting.filter((each) => !isSlow(each)),
      limits.reading,
    ))
      closeSlowReader(socket)
  }, CHECK_MS).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

/** Lists the open connections, and makes room for new ones when there are nearly `max`. */
function listConnections(
  app: FastifyInstance,
  max: number,
  proxies: readonly string[],
  closeSlowReader: (socket: Socket) => void,
): ReadonlyMap<Socket, Connection> {
  const open = new Map<Socket, Connection>()
  const isProxy = addressMatcher(proxies)
  app.server.on('connection', (socket: Socket) => {
    const { remoteAddress: address } = socket
    const peer = address === undefined || isProxy(address) ? null : clientNetwork(address)
    open.set(socket, {
      socket,
      peer,
      clientIp: address ?? '',
      arriving: peer === null ? null : { client: peer, since: performance.now() },
      unanswered: new Set(),
      isUpgraded: false,
      measured: null,
    })
    socket.once('close', () => open.delete(socket))
    if (open.size <= max * NEARLY_FULL) return
    for (const each of largestWaiting([...open.values()]).slice(0, Math.max(1, max * CLOSED_TOGETHER))) {
      // Its `close` event comes later than the next connections.
      open.delete(each.socket)
      each.socket.destroy()
    }
  })
  const arrived = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    const connection = open.get(socket)
    if (connection === undefined) return
    const { unanswered } = connection
    connection.arriving = null
    if (unanswered.size >= MAX_UNANSWERED) closeSlowReader(socket)
    unanswered.add(response)
    response.once('close', () => unanswered.delete(response))
  }
  app.server.prependListener('request', arrived)
  app.server.prependListener('checkExpectation', arrived)
  app.addHook('onRequest', (request, _reply, done) => {
    const { raw, ip } = request
    // X-Forwarded-For may have thousands of entries, and each WebSocket message needs the client.
    if (proxies.length > 0) Object.defineProperty(request, 'ip', { value: ip })
    const connection = open.get(raw.socket)
    if (connection !== undefined) connection.clientIp = ip
    if (connection !== undefined && hasBody(raw)) awaitBody(connection, raw)
    done()
  })
  return open
}

function awaitBody(connection: Connection, request: IncomingMessage): void {
  const arriving = { client: clientNetwork(connection.clientIp), since: performance.now() }
  connection.arriving = arriving
  const isComplete = (): void => {
    // A pipelined request may have begun before this one was closed.
    if (connection.arriving === arriving) connection.arriving = null
  }
  request.once('end', isComplete).once('close', isComplete)
}

/** Those of the client network that has the most that wait for their client, idle ones first. */
function largestWaiting(connections: readonly Connection[]): Connection[] {
  const waiting = connections.filter(
    ({ arriving, peer, unanswered, isUpgraded }) =>
      arriving !== null || (peer !== null && unanswered.size === 0 && !isUpgraded),
  )
  const clients = Map.groupBy(waiting, ({ arriving, peer }) => arriving?.client ?? peer)
  const largest = [...clients.values()].reduce((most, each) => (each.length > most.length ? each : most), [])
  // A single connection may have been opened just now.
  if (largest.length < 2) return []
  return largest.toSorted((a, b) => Number(a.arriving !== null) - Number(b.arriving !== null))
}

/** Above the limit of their client network, the connections whose request arrives the longest. */
function lateSenders(
  connections: readonly Connection[],
  { incompletePerClient: max, incompleteGraceMs }: ConnectionLimits,
  now: number,
): Connection[] {
  const arriving = connections.filter((each) => each.arriving !== null)
  const sinceOf = (each: Connection): number => each.arriving?.since ?? now
  return (
    [...Map.groupBy(arriving, (each) => each.arriving?.client).values()]
      .filter(({ length }) => length > max)
      .flatMap((all) => all.toSorted((a, b) => sinceOf(a) - sinceOf(b)).slice(0, all.length - max))
      // Requests of connections that were opened together may have arrived, but not been read yet.
      .filter((each) => now - sinceOf(each) >= incompleteGraceMs)
  )
}

/** What waits on a connection because its client does not read it. */
interface Unsent<Connection> {
  readonly socket: Connection
  readonly client: string
  readonly since: number
  readonly bytes: number
  /** Missing until it was measured for long enough. */
  readonly bytesPerSecond?: number
}

/** Null if nothing waits to be sent. */
function measureUnsent(connection: Connection, slowMs: number, now: number): Unsent<Socket> | null {
  const { socket, clientIp, unanswered, measured } = connection
  let unsent = 0
  for (const { writableLength } of unanswered) unsent += writableLength
  const bytes = socket.destroyed ? 0 : Math.max(unsent, socket.writableLength)
  if (bytes === 0) {
    connection.measured = null
    return null
  }
  const sent = socket.bytesWritten - socket.writableLength
  const { since, sent: before } = measured ?? { since: now, sent }
  const ms = now - since
  if (measured === null || ms >= slowMs) connection.measured = { since: now, sent }
  const bytesPerSecond = ms < slowMs ? undefined : ((sent - before) * 1_000) / ms
  return { socket, client: clientNetwork(clientIp), since, bytes, bytesPerSecond }
}

/**
 * The connections to close so that the rest is within the limits for each client network and for
 * the process. The network with the most unsent bytes loses the connection that waits longest.
 */
export function* excess<Connection>(
  waiting: readonly Unsent<Connection>[],
  { unsentPerClient, unsentTotal }: Pick<ConnectionLimits['reading'], 'unsentPerClient' | 'unsentTotal'>,
): Generator<Connection> {
  const oldestFirst = waiting.toSorted((a, b) => a.since - b.since)
  const clients = Array.from(Map.groupBy(oldestFirst, ({ client }) => client).values(), (queue) => ({
    queue,
    bytes: sumOf(queue),
  }))
  while (clients.length > 0) {
    const largest = clients.reduce((most, each) => (each.bytes > most.bytes ? each : most))
    if (largest.bytes <= unsentPerClient && sumOf(clients) <= unsentTotal) return
    const { socket, bytes } = largest.queue.shift()!
    largest.bytes -= bytes
    yield socket
  }
}

const sumOf = (parts: readonly { readonly bytes: number }[]): number =>
  parts.reduce((sum, { bytes }) => sum + bytes, 0)

/** Node gives up a socket with an upgrade: it no longer reads from it, nor closes it. */
function closeUpgrades(app: FastifyInstance, open: ReadonlyMap<Socket, Connection>, upgradeMs: number): void {
  app.server.prependListener('upgrade', (_request, socket: Socket) => {
    const connection = open.get(socket)
    if (connection !== undefined) Object.assign(connection, { isUpgraded: true, arriving: null })
    // An accepted WebSocket resets it, and is pinged.
    socket.setTimeout(upgradeMs, () => socket.destroy())
  })
  app.addHook('onResponse', ({ raw: { socket } }, _reply, done) => {
    if (open.get(socket)?.isUpgraded === true) socket.destroy()
    done()
  })
}

/**
 * Closes a connection after the response to an upgrade. While the service stops, it closes all: of
 * event streams at once, because clients open them again after a cut and not after an end, unused
 * ones soon, others after their response, or after `closeMs`.
 */
function closeWithService(
  app: FastifyInstance,
  open: ReadonlyMap<Socket, Connection>,
  closeMs: number,
): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
    for (const { unanswered } of open.values())
      for (const response of unanswered) if (isEventStream(response)) response.destroy()
    // Browsers open connections before they need them. Node waits for the first request of each.
    const closeUnused = (): void => {
      for (const { socket } of open.values()) if (socket.bytesRead === 0) socket.destroy()
    }
    setTimeout(closeUnused, UNUSED_MS).unref()
    setTimeout(() => open.forEach(({ socket }) => socket.destroy()), closeMs).unref()
  })
  app.addHook('onSend', ({ headers }, reply, _payload, done) => {
    if (closing || headers.upgrade !== undefined) reply.header('connection', 'close')
    done()
  })
}

const isEventStream = (response: ServerResponse): boolean =>
  String(response.getHeader('content-type')).startsWith('text/event-stream')
