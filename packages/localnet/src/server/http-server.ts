import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { FaultControls } from '../faults/fault-controls.ts'

export interface HttpParts {
  readonly answer: (body: string) => string
  readonly faults: FaultControls
  readonly maxBodyBytes: number
}

// Stock web3.js reuses a connection for 19 s: closing earlier would fail its calls.
const KEEP_ALIVE_MS = 60_000

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST, GET, OPTIONS',
  'access-control-allow-headers': '*',
  'access-control-max-age': '86400',
}

/** JSON-RPC over HTTP POST on any path, and GET /health, as on a Solana node. */
export function createHttpServer(parts: HttpParts): Server {
  const server = createServer((request, response) => {
    // A client that goes away in the middle is nobody's error.
    request.on('error', () => response.destroy())
    void serve(request, response, parts).catch(() => response.destroy())
  })
  server.keepAliveTimeout = KEEP_ALIVE_MS
  return server
}

async function serve(request: IncomingMessage, response: ServerResponse, parts: HttpParts): Promise<void> {
  if (request.method === 'OPTIONS') return reply(response, 204, '')
  if (request.method === 'GET' && request.url === '/health') return reply(response, 200, 'ok')
  if (request.method !== 'POST')
    return reply(response, 405, 'Used HTTP Method is not allowed. POST or OPTIONS is required')
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    return reply(
      response,
      415,
      'Supplied content type is not allowed. Content-Type: application/json is required',
    )
  }
  const body = await readBody(request, parts.maxBodyBytes)
  if (body === null) return reply(response, 413, 'request body too large')
  const fault = parts.faults.takeHttp(() => calledMethods(body))
  if (fault?.delayMs !== undefined) await delay(fault.delayMs, undefined, { ref: false })
  if (fault?.status !== undefined) {
    const { status, retryAfter } = fault
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter)
    return reply(response, status, `fault: HTTP ${status}`)
  }
  reply(response, 200, parts.answer(body), { 'content-type': 'application/json; charset=utf-8' })
}

function reply(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'text/plain', ...CORS, ...headers })
  response.end(body)
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<string | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= maxBytes) chunks.push(chunk)
  }
  return bytes > maxBytes ? null : Buffer.concat(chunks).toString('utf8')
}

function calledMethods(body: string): string[] {
  try {
    const calls: unknown = JSON.parse(body)
    return (Array.isArray(calls) ? calls : [calls]).map((call: { method?: unknown }) => String(call?.method))
  } catch {
    return []
  }
}
