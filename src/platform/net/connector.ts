import { constants } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { LookupFunction, Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { getCACertificates } from 'node:tls'
import { buildConnector, Pool } from 'undici'
import { HttpError } from './error-codes.ts'
import { Counter } from 'prom-client'
import type { Metrics } from '../metrics/metrics.ts'

interface ConnectorOptions {
  readonly lookup: LookupFunction
  readonly connectTimeoutMs: number
  /** PEM, in addition to the system's certificate authorities. */
  readonly extraCa: string | undefined
  readonly metrics: NetMetrics | null
}

/** A socket, and the TCP connection below TLS, whose bytes are counted. */
interface Connection {
  readonly socket: Socket
  readonly tcp: Socket
  /** The largest `bytesRead` of `tcp`. */
  maxRead: number
}

/** Bytes of a TLS handshake. OpenSSL accepts certificates of 102,400 bytes. */
const MAX_HANDSHAKE_BYTES = 131_072
/** Bytes of TLS after it, beside those of the data: tickets, and an incomplete record. */
const MAX_TLS_BYTES = 65_536
/** OpenSSL processes what it gets without a pause: 1 ms for the shortest messages. */
const DECRYPTED_AT_ONCE = 4_096
/** undici parses what one read returns, also after an error: 10 ms for headers of one letter. */
const PARSED_AT_ONCE = 2_048

/** Opens sockets, limits what each receives, and counts them. */
export function createConnector(options: ConnectorOptions) {
  const { lookup, connectTimeoutMs, extraCa, metrics } = options
  const connectSocket = buildConnector({
    lookup,
    timeout: connectTimeoutMs,
    minVersion: 'TLSv1.2',
    // A server of TLS 1.2 could otherwise ask for hundreds of handshakes on a connection.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    // Set here so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn it off.
    rejectUnauthorized: true,
    // Node does not check the certificate's name and dates again for a resumed session.
    maxCachedSessions: 0,
    allowH2: false,
    ...(extraCa === undefined ? {} : { ca: [...getCACertificates('default'), extraCa] }),
  })
  const connections = new Map<Socket, Connection>()

  // undici calls a request's `onRequestStart` and publishes `sendHeaders` without a pause between.
  let starting: ((connection: Connection) => void) | undefined
  const onSend = (message: unknown): void => {
    const connection = connections.get((message as { socket: Socket }).socket)
    if (connection === undefined) return
    starting?.(connection)
    // It would keep the connection and its pool in memory.
    starting = undefined
  }
  subscribe('undici:client:sendHeaders', onSend)

  const watch = (socket: Socket, tcp: Socket): Socket => {
    const connection = { socket, tcp, maxRead: MAX_HANDSHAKE_BYTES }
    connections.set(socket, connection)
    socket.once('close', () => connections.delete(socket))
    limitReads(connection)
    metrics?.socketsOpened.inc()
    return socket
  }

  return {
    connect: connectBelowTls(connectSocket, watch),
    /**
     * The request that starts now fails as `too_large` if its socket receives more than `maxBytes`.
     * Returns a function that returns what it received.
     */
    startRequest: (maxBytes: number): (() => number) => {
      let received = (): number => 0
      starting = (connection) => {
        const before = connection.tcp.bytesRead
        connection.maxRead = before + maxBytes
        received = () => connection.tcp.bytesRead - before
      }
      return () => received()
    },
    /** Stops the counting. */
    release: (): boolean => unsubscribe('undici:client:sendHeaders', onSend),
  }
}

/** Connects with TCP first, so that the bytes below TLS can be counted and limited. */
function connectBelowTls(
  connectSocket: buildConnector.connector,
  watch: (socket: Socket, tcp: Socket) => Socket,
): buildConnector.connector {
  return ({ servername, ...target }, callback) => {
    const isTls = target.protocol === 'https:'
    const port = target.port || (isTls ? '443' : '80')
    connectSocket({ ...target, port, protocol: 'http:' }, (error, tcp) => {
      if (error !== null) return callback(error, null)
      if (!isTls) return callback(null, watch(tcp, tcp))
      let secured: Socket | null = null
      const records = limitRecords(tcp, () => secured)
      const tls = { ...target, port, httpSocket: records, ...(servername !== undefined && { servername }) }
      return connectSocket(tls as buildConnector.Options, (failure, socket) => {
        if (failure !== null) return callback(failure, null)
        secured = socket
        return callback(null, watch(socket, tcp))
      })
    })
  }
}

/**
 * What TLS reads, in small parts. Handshakes, tickets and new keys are never read as data, and TLS
 * on the socket itself would process half a megabyte of them before JavaScript runs.
 */
function limitRecords(tcp: Socket, secured: () => Socket | null): Duplex {
  let [passed, handshake] = [0, 0]
  const records = new Duplex({
    read: () => void tcp.resume(),
    write: (part: Buffer, encoding, done) => void tcp.write(part, encoding, done),
    final: (done) => void tcp.end(done),
    destroy: (error, done) => {
      tcp.destroy()
      done(error)
    },
  })
  // TLS reads a part after this.
  records.on('data', (part: Buffer) => {
    passed += part.length
    const socket = secured()
    if (socket === null) handshake = passed
    const max = socket === null ? MAX_HANDSHAKE_BYTES : handshake + 2 * socket.bytesRead + MAX_TLS_BYTES
    if (passed > max) records.destroy(new HttpError(socket === null ? 'tls_error' : 'too_large'))
  })
  tcp.on('data', (bytes: Buffer) => {
    for (let i = 0; i < bytes.length && !records.destroyed; i += DECRYPTED_AT_ONCE)
      if (!records.push(bytes.subarray(i, i + DECRYPTED_AT_ONCE))) tcp.pause()
  })
  tcp.on('end', () => records.push(null))
  tcp.on('error', (error) => records.destroy(error)).on('close', () => records.destroy())
  return records
}

function limitReads(connection: Connection): void {
  const { socket, tcp } = connection
  const read = socket.read.bind(socket)
  socket.read = (size) => {
    if (tcp.bytesRead > connection.maxRead) socket.destroy(new HttpError('too_large'))
    if (socket.destroyed) return null
    return read(size ?? (Math.min(socket.readableLength, PARSED_AT_ONCE) || undefined)) as unknown
  }
}

interface Entry {
  readonly pool: Pool
  users: number
  expiry: NodeJS.Timeout | undefined
}

/**
 * Keeps one pool per origin and removes it after `idleMs` without use. undici's Agent never removes
 * the pool of an origin whose last request was aborted, so hostile hosts could fill the memory.
 */
export function createPools(options: Pool.Options, idleMs: number) {
  const entries = new Map<string, Entry>()
  let destroyed: Error | null = null

  const expireLater = (origin: string, entry: Entry): void => {
    entry.expiry = setTimeout(() => {
      entries.delete(origin)
      entry.pool.destroy().catch(() => undefined)
    }, idleMs).unref()
  }

  return {
    /** Runs `run` with the connections to an origin. */
    use: async <Result>(origin: string, run: (pool: Pool) => Promise<Result>): Promise<Result> => {
      if (destroyed !== null) throw destroyed
      const entry = entries.get(origin) ?? { pool: new Pool(origin, options), users: 0, expiry: undefined }
      entries.set(origin, entry)
      clearTimeout(entry.expiry)
      entry.users += 1
      try {
        return await run(entry.pool)
      } finally {
        entry.users -= 1
        if (entry.users === 0 && destroyed === null) expireLater(origin, entry)
      }
    },
    /** Requests that still run fail with `reason`. */
    destroy: async (reason: Error): Promise<void> => {
      destroyed = reason
      for (const { expiry } of entries.values()) clearTimeout(expiry)
      await Promise.all([...entries.values()].map(({ pool }) => pool.destroy(reason)))
      entries.clear()
    },
  }
}

export type NetMetrics = ReturnType<typeof createNetMetrics>

export function createNetMetrics(metrics: Metrics) {
  const registers = [metrics]
  return {
    socketsOpened: new Counter({
      name: 'gateway_net_sockets_opened_total',
      help: 'Connections opened to webhook receivers and to hosts of agent cards and credentials.',
      registers,
    }),
    failures: new Counter({
      name: 'gateway_net_failures_total',
      help: 'Requests without a response, by error code. ssrf_blocked: the address is not public.',
      labelNames: ['code'],
      registers,
    }),
  }
}
