import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type WebSocket, WebSocketServer } from 'ws'
import { DomainError } from '../../src/domain/errors.ts'
import type { PageGuard } from '../plugins/page-guard.ts'
import { offersProtocol } from './web-socket.ts'
import type { RestApp } from '../rest-app.ts'

/** Sockets open at once, of a process. Each stream on them counts against its client besides. */
const MAX_SOCKETS = 1_000
const MAX_MESSAGE_BYTES = 256 * 1024

const sockets = new WeakMap<IncomingMessage, { socket: Duplex; head: Buffer }>()

export interface Upgrades {
  /** Whether the request wants to become a WebSocket. */
  asks(request: FastifyRequest): boolean
  /** Answers 101 and hands the WebSocket over. Throws ORIGIN_NOT_ALLOWED and TOO_MANY_STREAMS. */
  accept(request: FastifyRequest, reply: FastifyReply, use: (socket: WebSocket) => void): void
}

/**
 * WebSockets on the port of the service. A request for one passes through Fastify as any other, so that hooks, addresses and
 * errors are the same. Pages of the origins that may call the service may open one.
 */
export function webSockets(app: RestApp, pages: PageGuard): Upgrades {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols: offersProtocol,
  })
  app.server.on('upgrade', (raw: IncomingMessage, socket: Duplex, head: Buffer) => {
    sockets.set(raw, { socket, head })
    // Nobody else listens until the socket is handed over; a reset must not end the process.
    socket.on('error', () => socket.destroy())
    const response = new ServerResponse(raw)
    response.shouldKeepAlive = false
    response.assignSocket(socket as never)
    response.once('finish', () => socket.end())
    app.routing(raw, response)
  })
  app.addHook('preClose', async () => {
    for (const client of server.clients) client.close(1001, 'Going away')
    const ended = Array.from(server.clients, (client) => endSoon(client))
    await Promise.all(ended)
    server.close()
  })
  return {
    asks: ({ raw }) => sockets.has(raw),
    accept: ({ raw }, reply, use) => {
      pages.checkOrigin(raw)
      if (server.clients.size >= MAX_SOCKETS) throw new DomainError('TOO_MANY_SOCKETS')
      const { socket, head } = sockets.get(raw)!
      const response = reply.hijack().raw
      reply.request.admissionSlot?.release()
      response.detachSocket(socket as never)
      server.handleUpgrade(raw, socket, head, use)
    },
  }
}

const CLOSING_MS = 1_000

function endSoon(client: WebSocket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(() => client.terminate(), CLOSING_MS)
  client.once('close', () => {
    clearTimeout(timer)
    resolve()
  })
  return promise
}
