import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { LookupFunction, Socket } from 'node:net'
import { getCACertificates } from 'node:tls'
import { buildConnector } from 'undici'
import type { NetMetrics } from './metrics.ts'

export interface ConnectorOptions {
  readonly lookup: LookupFunction
  readonly connectTimeoutMs: number
  /** PEM, in addition to the system's certificate authorities. */
  readonly extraCa: string | undefined
  readonly metrics: NetMetrics | null
}

/** Opens sockets and counts how many are opened and reused. `release` stops the counting. */
export function createConnector({ lookup, connectTimeoutMs, extraCa, metrics }: ConnectorOptions): {
  connect: buildConnector.connector
  release: () => void
} {
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
  /** The sockets of this connector, and whether each has sent a request. */
  const hasSent = new WeakMap<Socket, boolean>()
  const onSend = (message: unknown): void => {
    const { socket } = message as { socket: Socket }
    if (hasSent.get(socket) === true) metrics?.socketsReused.inc()
    if (hasSent.has(socket)) hasSent.set(socket, true)
  }
  subscribe('undici:client:sendHeaders', onSend)
  return {
    connect: (options, callback) =>
      connectSocket(options, (error, socket) => {
        if (error !== null) return callback(error, null)
        hasSent.set(socket, false)
        metrics?.socketsOpened.inc()
        return callback(null, socket)
      }),
    release: () => {
      unsubscribe('undici:client:sendHeaders', onSend)
    },
  }
}
