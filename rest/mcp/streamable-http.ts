import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  type ServerEventBus,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { IncomingHttpHeaders } from 'node:http'
import type { McpContext } from './context.ts'

/** A message that was posted to /mcp. */
export interface PostedMessage {
  readonly headers: IncomingHttpHeaders
  /** The parsed body. */
  readonly body: unknown
  readonly createServer: (era: McpContext['era']) => McpServer
  /** What a subscription receives, and the end of its stream. */
  readonly bus: ServerEventBus
  readonly signal: AbortSignal | null
  /** Receives failures of the service and refused requests. */
  readonly onError: (error: unknown) => void
}

/**
 * Answers a message without a session: protocol 2026-07-28 and later by the SDK's handler, older
 * versions by a server and a transport for one request.
 */
export async function answerMessage(message: PostedMessage): Promise<Response> {
  const { body: parsedBody, createServer, bus, onError } = message
  const request = webRequest(message)
  if (!(await isLegacyRequest(request, parsedBody))) {
    const handler = createMcpHandler(({ era }) => createServer(era), {
      legacy: 'reject',
      bus,
      onerror: onError,
    })
    return handler.fetch(request, { parsedBody })
  }
  const server = createServer('legacy')
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody })
  } finally {
    await server.close()
  }
}

/** The headers that belong to the protocol. Fastify has handled the others and the address. */
function webRequest({ headers, signal }: PostedMessage): Request {
  const names = Object.keys(headers).filter((name) => /^(?:accept|content-type|mcp-[\w-]+)$/.test(name))
  return new Request('http://gateway/mcp', {
    method: 'POST',
    headers: names.map((name) => [name, String(headers[name])]),
    signal,
  })
}
