import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Counter } from 'prom-client'
import { clientNetwork } from '../../src/domain/client-network.ts'
import type { Metrics } from '../../src/platform/metrics/metrics.ts'
import type { RestApp } from '../rest-app.ts'
import { type ConnectionLimits, cutConnection } from './connections.ts'

/** Per connection. Node parses a thousand pipelined requests before it sends a response. */
export const MAX_UNANSWERED = 32
/** Creating the largest response takes about 20 ms, so few are created between two checks. */
const CHECK_MS = 250

interface Connection {
  /** The client of the latest request, which is not that of the connection behind a proxy. */
  ip: string
  /** Responses that are not sent yet. Those after the first wait outside of the socket. */
  readonly unanswered: Set<ServerResponse>
  /** When the average of its speed began, in ms, and the bytes sent until then. */
  since: number | null
  sent: number
}

interface Waiting<Connection> {
  readonly socket: Connection
  readonly client: string
  readonly since: number
  readonly bytes: number
}

/**
 * Closes connections of clients that do not read what is sent on them: responses, event streams,
 * messages of WebSockets. `open` has all connections of the server.
 */
export function limitSlowReaders(
  app: RestApp,
  open: ReadonlySet<Socket>,
  limits: ConnectionLimits['reading'],
  metrics: Metrics,
): void {
  const closed = new Counter({
    name: 'gateway_slow_readers_closed_total',
    help: 'Connections closed because their client did not read, or too slowly, what was sent to it',
    registers: [metrics],
  })
  const connections = new WeakMap<Socket, Connection>()
  const close = (socket: Socket): void => {
    closed.inc()
    cutConnection(socket)
  }

  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    const connection = connections.get(socket) ?? { ip: '', unanswered: new Set(), since: null, sent: 0 }
    connections.set(socket, connection)
    if (connection.unanswered.size >= MAX_UNANSWERED) close(socket)
    if (socket.destroyed) {
      reply.hijack()
      return
    }
    connection.ip = request.ip
    connection.unanswered.add(reply.raw)
    reply.raw.once('close', () => connection.unanswered.delete(reply.raw))
    done()
  })

  /** Null if nothing waits to be sent, or if the connection was closed because it is too slow. */
  const check = (socket: Socket, now: number): Waiting<Socket> | null => {
    const connection = connections.get(socket)
    if (connection === undefined || socket.destroyed) return null
    const bytes = unsentBytes(socket, connection)
    if (bytes === 0) {
      connection.since = null
      return null
    }
    const sent = socket.bytesWritten - socket.writableLength
    const ms = now - (connection.since ?? now)
    if (ms >= limits.slowMs && ((sent - connection.sent) * 1_000) / ms < limits.bytesPerSecond) {
      close(socket)
      return null
    }
    if (connection.since === null || ms >= limits.slowMs) Object.assign(connection, { since: now, sent })
    return { socket, client: clientNetwork(connection.ip), since: now - ms, bytes }
  }

  const timer = setInterval(() => {
    const now = performance.now()
    const waiting = Array.from(open, (socket) => check(socket, now)).filter((each) => each !== null)
    for (const socket of excess(waiting, limits)) close(socket)
  }, CHECK_MS).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

function unsentBytes(socket: Socket, { unanswered }: Connection): number {
  let bytes = 0
  for (const { writableLength } of unanswered) bytes += writableLength
  return Math.max(bytes, socket.writableLength)
}

/** The connections to close so that the rest is within the limits. */
export function* excess<Connection>(
  waiting: readonly Waiting<Connection>[],
  limits: Pick<ConnectionLimits['reading'], 'unsentPerClient' | 'unsentTotal'>,
): Generator<Connection> {
  const oldestFirst = waiting.toSorted((a, b) => a.since - b.since)
  const clients = Array.from(Map.groupBy(oldestFirst, ({ client }) => client).values(), (queue) => ({
    queue,
    bytes: sumOf(queue),
  }))
  const takeOldest = (from: (typeof clients)[number]): Connection => {
    const { socket, bytes } = from.queue.shift()!
    from.bytes -= bytes
    return socket
  }
  for (const each of clients) while (each.bytes > limits.unsentPerClient) yield takeOldest(each)
  while (sumOf(clients) > limits.unsentTotal)
    yield takeOldest(clients.reduce((most, each) => (each.bytes > most.bytes ? each : most)))
}

const sumOf = (parts: readonly { readonly bytes: number }[]): number =>
  parts.reduce((sum, { bytes }) => sum + bytes, 0)
