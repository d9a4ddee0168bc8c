import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { LookupFunction, Socket } from 'node:net'
import { getCACertificates } from 'node:tls'
import { buildConnector } from 'undici'
import type { NetMetrics } from './metrics.ts'

export interface ConnectorOptions {
  readonly lookup: LookupFunction
  readonly connectTimeoutMs: number
  /** PEM, besides those of the system. */
  readonly extraCa?: string
  readonly metrics: NetMetrics | null
}

/** Opens the sockets, and counts those opened and used again. `release` ends the counting. */
export function createConnector({ lookup, connectTimeoutMs, extraCa, metrics }: ConnectorOptions): {
  connect: buildConnector.connector
  release: () => void
} {
  const inner = buildConnector({
    lookup,
    timeout: connectTimeoutMs,
    minVersion: 'TLSv1.2',
    // Said here, so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch it off.
    rejectUnauthorized: true,
    // A resumed session is not checked again: neither the name nor the dates of the certificate.
    maxCachedSessions: 0,
    allowH2: false,
    ...(extraCa === undefined ? {} : { ca: [...getCACertificates('default'), extraCa] }),
  })
  const used = new WeakMap<Socket, boolean>()
  const onSend = (message: unknown): void => {
    const { socket } = message as { socket: Socket }
    if (used.get(socket) === true) metrics?.socketsReused.inc()
    if (used.has(socket)) used.set(socket, true)
  }
  subscribe('undici:client:sendHeaders', onSend)
  return {
    connect: (options, callback) =>
      inner(options, (error, socket) => {
        if (error !== null) return callback(error, null)
        used.set(socket, false)
        metrics?.socketsOpened.inc()
        return callback(null, socket)
      }),
    release: () => {
      unsubscribe('undici:client:sendHeaders', onSend)
    },
  }
}
