import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { LookupFunction, Socket } from 'node:net'
import { getCACertificates } from 'node:tls'
import { buildConnector } from 'undici'
import { HttpError } from './error-codes.ts'
import type { NetMetrics } from './metrics.ts'

export interface ConnectorOptions {
  readonly lookup: LookupFunction
  readonly connectTimeoutMs: number
  /** PEM, in addition to the system's certificate authorities. */
  readonly extraCa: string | undefined
  readonly metrics: NetMetrics | null
}

export interface Connector {
  readonly connect: buildConnector.connector
  /**
   * The request that starts now fails as `too_large` if its socket receives more than `maxBytes`.
   * Returns a function that returns what it received.
   */
  startRequest(maxBytes: number): () => number
  /** Stops the counting. */
  release(): void
}

/** A socket, and the TCP connection below TLS, whose bytes are counted. */
interface Connection {
  readonly socket: Socket
  readonly tcp: Socket
  /** The largest `bytesRead` of `tcp`. */
  maxRead: number
  hasSent: boolean
}

/** Bytes of TLS beside as many as the data: certificates, tickets, and what is read ahead. */
const MAX_TLS_BYTES = 131_072
/** undici parses what one read returns, also after an error: 10 ms for headers of one letter. */
const PARSED_AT_ONCE = 2_048
/** A server can send TLS messages that are never read as data, so `read` does not see them. */
const CHECK_MS = 100

/** Opens sockets, limits what each receives, and counts how many are opened and reused. */
export function createConnector(options: ConnectorOptions): Connector {
  const { lookup, connectTimeoutMs, extraCa, metrics } = options
  const connectSocket = buildConnector({
    lookup,
    timeout: connectTimeoutMs,
    minVersion: 'TLSv1.2',
    // Set here so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn it off.
    rejectUnauthorized: true,
    // Node does not check the certificate's name and dates again for a resumed session.
    maxCachedSessions: 0,
    allowH2: false,
    ...(extraCa === undefined ? {} : { ca: [...getCACertificates('default'), extraCa] }),
  })
  const connections = new Map<Socket, Connection>()
  const timer = setInterval(() => {
    for (const connection of connections.values()) endIfExceeded(connection)
  }, CHECK_MS).unref()

  // undici calls a request's `onRequestStart` and publishes `sendHeaders` without a pause between.
  let starting: ((connection: Connection) => void) | undefined
  const onSend = (message: unknown): void => {
    const connection = connections.get((message as { socket: Socket }).socket)
    if (connection === undefined) return
    if (connection.hasSent) metrics?.socketsReused.inc()
    connection.hasSent = true
    starting?.(connection)
    // It would keep the connection and its pool in memory.
    starting = undefined
  }
  subscribe('undici:client:sendHeaders', onSend)

  const watch = (socket: Socket, tcp: Socket): Socket => {
    const connection = { socket, tcp, maxRead: MAX_TLS_BYTES, hasSent: false }
    connections.set(socket, connection)
    socket.once('close', () => connections.delete(socket))
    limitReads(connection)
    // A server can send a hundred thousand tickets before a timer fires.
    socket.on('session', () => endIfExceeded(connection))
    metrics?.socketsOpened.inc()
    return socket
  }

  return {
    connect: ({ servername, ...target }, callback) => {
      const isTls = target.protocol === 'https:'
      const port = target.port || (isTls ? '443' : '80')
      connectSocket({ ...target, port, protocol: 'http:' }, (error, tcp) => {
        if (error !== null) return callback(error, null)
        if (!isTls) return callback(null, watch(tcp, tcp))
        const tls = { ...target, port, httpSocket: tcp, ...(servername !== undefined && { servername }) }
        return connectSocket(tls, (failure, socket) =>
          failure === null ? callback(null, watch(socket, tcp)) : callback(failure, null),
        )
      })
    },
    startRequest: (maxBytes) => {
      let received = (): number => 0
      starting = (connection) => {
        const before = connection.tcp.bytesRead
        connection.maxRead = before + maxBytes
        received = () => connection.tcp.bytesRead - before
      }
      return () => received()
    },
    release: () => {
      clearInterval(timer)
      unsubscribe('undici:client:sendHeaders', onSend)
    },
  }
}

function endIfExceeded({ socket, tcp, maxRead }: Connection): void {
  const isTlsFlood = tcp.bytesRead > 2 * socket.bytesRead + MAX_TLS_BYTES
  if (isTlsFlood || tcp.bytesRead > maxRead) socket.destroy(new HttpError('too_large'))
}

function limitReads(connection: Connection): void {
  const { socket } = connection
  const read = socket.read.bind(socket)
  socket.read = (size) => {
    endIfExceeded(connection)
    if (socket.destroyed) return null
    return read(size ?? (Math.min(socket.readableLength, PARSED_AT_ONCE) || undefined)) as unknown
  }
}
