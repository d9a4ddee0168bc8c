import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Limits of connections. Times are in ms. */
export const CONNECTION_LIMITS = {
  /** From the connection, or the first byte of a later request, to the end of the headers. */
  headersMs: 15_000,
  /** From the same moment to the end of the body. */
  requestMs: 30_000,
  /** How often both limits are checked, which is how late they may take effect. */
  checkMs: 5_000,
  /**
   * From a response to the next request. Longer than the 60 s of most proxies: if the proxy closes
   * the connection, no request is lost.
   */
  keepAliveMs: 72_000,
  /** Of what waits in this process because clients do not read it. */
  reading: {
    /**
     * Unsent bytes for a client network. Above, its connection that waits longest is closed. An
     * office may load large files; most responses fit into the buffers of the system.
     */
    unsentPerClient: 32 * 1_048_576,
    /** Unsent bytes of the process. Above, the network with the most loses such a connection. */
    unsentTotal: 64 * 1_048_576,
    /** A connection with unsent bytes must take this many per second, on average over `slowMs`. */
    bytesPerSecond: 16_384,
    slowMs: 30_000,
  },
  /** Without a packet from the client, until the first of ten probes, one per second. */
  probeMs: 15_000,
  /** From an upgrade request to its response. */
  upgradeMs: 10_000,
  /**
   * From the begin of the stop to the end of all connections. Longer than a request takes, and
   * short enough for the 30 s of Kubernetes.
   */
  closeMs: 15_000,
  /** Connections of the process, including streams and WebSockets. More are closed at once. */
  maxConnections: 10_000,
  /** Connections of a client network without a complete request. The oldest above it get 408. */
  incompletePerClient: 100,
  /** How long an incomplete request is safe from that limit. */
  incompleteGraceMs: 1_000,
  /** WebSockets at /graphql. */
  sockets: { perClient: 20, total: 1_000 },
  /** Time without an operation after which a WebSocket is closed. */
  socketIdleMs: 60_000,
  /** Sessions of the MCP transport over SSE. */
  sessions: { perClient: 20, total: 500 },
  /** Time without a message after which a session is closed. */
  sessionIdleMs: 600_000,
}
export type ConnectionLimits = Readonly<typeof CONNECTION_LIMITS>

/** Parts in which a body arrives: packets, and chunks of a chunked body. Each takes some µs. */
export const MAX_BODY_PARTS = 1_024
/** Of a body that is not read, so that its client still sees the response. */
export const MAX_IGNORED_BYTES = 1_048_576

/** Limits what Node parses of a body, whether or not it is read. */
export class LimitedRequest extends IncomingMessage {
  #parts = 0
  #bytes = 0

  /** Of the body that have arrived. */
  get bodyBytes(): number {
    return this.#bytes
  }

  override push(part: Buffer | null, encoding?: BufferEncoding): boolean {
    this.#parts += 1
    this.#bytes += part?.length ?? 0
    if (this.#parts <= MAX_BODY_PARTS && this.#bytes <= MAX_IGNORED_BYTES) return super.push(part, encoding)
    if (!this.socket.destroyed) cutConnection(this.socket)
    return false
  }

  /** Node calls it for a body that is not read. Its own would no longer call `push`. */
  _dump(): void {
    this.resume()
  }
}

/** What Node's parser does after an upgrade request: it ends. */
const END_PARSING = (): number => 2

/** Closes a connection at once. Node would still parse all that it has read: 2,000 requests. */
export function cutConnection(socket: Socket): void {
  const { parser } = socket as { parser?: { onIncoming: () => number } | null }
  if (parser) parser.onIncoming = END_PARSING
  socket.destroy()
}
