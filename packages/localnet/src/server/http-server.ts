import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { FaultControls } from '../faults/fault-controls.ts'
import { CONTROL_HEADER, hasControl } from './control.ts'

// The limit of a Solana node.
export const MAX_BODY_BYTES = 50 * 1024
// web3.js reuses a connection for 19 s. Closing it earlier would make calls fail.
const KEEP_ALIVE_MS = 60_000
/** A client that vanished is found 25 s after its last packet. */
export const DEAD_PEERS = { keepAlive: true, keepAliveInitialDelay: 15_000 }

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST, GET, OPTIONS',
  'access-control-max-age': '86400',
}

/** JSON-RPC over HTTP POST on any path, and GET /health, as on a Solana node. */
export function createHttpServer(
  respond: (body: string, hasControl: boolean) => string,
  faults: FaultControls,
): Server {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const reply = (status: number, body: string, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'text/plain', ...CORS, ...headers })
      response.end(body)
    }
    if (request.method === 'OPTIONS') {
      const requested = request.headers['access-control-request-headers'] ?? ''
      if (requested.toLowerCase().includes(CONTROL_HEADER)) return reply(403, 'Header is not allowed')
      // Not `*`: a browser that has cached it sends every header without asking again.
      return reply(204, '', requested === '' ? {} : { 'access-control-allow-headers': requested })
    }
    if (request.method === 'GET' && request.url === '/health') return reply(200, 'ok')
    if (request.method !== 'POST')
      return reply(405, 'Used HTTP Method is not allowed. POST or OPTIONS is required')
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
      return reply(415, 'Supplied content type is not allowed. Content-Type: application/json is required')
    const body = await readBody(request)
    if (body === null) return reply(413, 'request body too large')
    const { delayMs, status, retryAfter } = faults.takeHttp(() => calledMethods(body)) ?? {}
    if (delayMs !== undefined) await delay(delayMs, undefined, { ref: false })
    if (retryAfter !== undefined && status !== undefined) response.setHeader('retry-after', retryAfter)
    if (status !== undefined) return reply(status, `fault: HTTP ${status}`)
    reply(200, respond(body, hasControl(request)), { 'content-type': 'application/json; charset=utf-8' })
  }
  const server = createServer(DEAD_PEERS, (request, response) => {
    // A client that disconnects during a request is not an error.
    request.on('error', () => response.destroy())
    void serve(request, response).catch(() => response.destroy())
  })
  server.keepAliveTimeout = KEEP_ALIVE_MS
  return server
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk)
  }
  return bytes > MAX_BODY_BYTES ? null : Buffer.concat(chunks).toString('utf8')
}

function calledMethods(body: string): string[] {
  try {
    const calls: unknown = JSON.parse(body)
    return (Array.isArray(calls) ? calls : [calls]).map((call: { method?: unknown }) => String(call?.method))
  } catch {
    return []
  }
}
