import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../src/domain/errors.ts'
import { limitBodyValues } from '../contract/json-size.ts'
import { isEventStream, sendEventStream, disconnected } from '../plugins/event-stream.ts'
import type { OriginGuard } from '../plugins/origin-guard.ts'
import { authenticateRequest, authenticateToken } from '../plugins/wallet-auth.ts'
import type { RestContext } from '../rest-context.ts'
import { createMcpServer } from './server.ts'
import { createSessions, MESSAGES } from './sessions.ts'
import { chosenTools, type McpContext, messagePriority, TOOLS, toolsOf, AGENT } from './tools.ts'
import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  type ServerEventBus,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { quoted } from '../../src/domain/quoted.ts'
import type { Services } from '../../src/compose/services.ts'

/** Values in the JSON of a message. The SDK repeats each invalid one in its error. */
export const MAX_VALUES = 500

/**
 * Registers the Model Context Protocol: Streamable HTTP at /mcp without sessions, so any replica
 * can serve any request, and the older transport at /mcp/sse, whose sessions belong to one process.
 */
export function mcpRoutes(app: FastifyInstance, rest: RestContext, originGuard: OriginGuard): void {
  const { services, logger, connectionLimits, operatorDocuments } = rest
  limitBodyValues(app, MAX_VALUES)
  const route = {
    schema: { hide: true },
    config: { priority: ({ body }: FastifyRequest) => messagePriority(body) },
    // MCP requires this for both transports, as a protection against DNS rebinding.
    onRequest: async ({ raw }: FastifyRequest) => originGuard.check(raw),
  }
  const tools = [...TOOLS, ...toolsOf(operatorDocuments)]
  /** Returns a function that creates servers. Throws for a wrong choice of tools. */
  const serversFor = ({ ip: clientIp, url }: FastifyRequest) => {
    const chosen = chosenTools(tools, url)
    return (context: Omit<McpContext, 'services' | 'clientIp' | 'logger'>) =>
      createMcpServer({ services, clientIp, logger, ...context }, chosen)
  }

  app.post('/mcp', route, async (request, reply) => {
    if (Array.isArray(request.body))
      throw new DomainError('INVALID_REQUEST', { problem: 'Batches are not supported: send one message' })
    const createServer = serversFor(request)
    const authenticate = () => authenticateRequest(services, request)
    const response = await answerMessage(reply, services, (era) => createServer({ era, authenticate }))
    if (isEventStream(response)) return sendEventStream(reply, response)
    reply.code(response.status).headers(Object.fromEntries(response.headers))
    return reply.send(await response.text())
  })

  const sessions = createSessions(connectionLimits)
  app.get('/mcp/sse', { ...route, exposeHeadRoute: false }, async (request, reply) => {
    const createServer = serversFor(request)
    await sessions.open(reply, () =>
      createServer({
        era: 'legacy',
        admit: (priority) => services.admission.admit(priority, request.ip),
        authenticate: () => authenticateToken(services, request, request.headers.authorization),
      }),
    )
  })
  app.post(MESSAGES, route, async (request, reply) => {
    // The response is sent before the tool is admitted.
    sessions.receive(request)
    return reply.code(202).send('Accepted')
  })
}

/** URIs of one subscription. */
export const MAX_SUBSCRIBED = 100

/**
 * Answers a message without a session: protocol 2026-07-28 and later by the SDK's handler, older
 * versions by a server and a transport for one request. Throws what `subscribe` does.
 */
async function answerMessage(
  reply: FastifyReply,
  services: Services,
  createServer: (era: McpContext['era']) => McpServer,
): Promise<Response> {
  const { body: parsedBody, log } = reply.request
  const agentPdas = subscribedAgents(parsedBody)
  const subscription = agentPdas === null ? null : await subscribe(services, agentPdas, reply)
  const request = webRequest(reply.request, subscription?.signal ?? null)
  if (!(await isLegacyRequest(request, parsedBody))) {
    let failure: unknown
    const handler = createMcpHandler(({ era }) => createServer(era), {
      legacy: 'reject',
      bus: subscription?.bus,
      onerror: (error) => (failure = error),
    })
    const response = await handler.fetch(request, { parsedBody })
    if (response.status >= 500) log.error({ err: failure }, 'an MCP message failed')
    return response
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
function webRequest({ headers }: FastifyRequest, signal: AbortSignal | null): Request {
  const names = Object.keys(headers).filter((name) => /^(?:accept|content-type|mcp-[\w-]+)$/.test(name))
  return new Request('http://gateway/mcp', {
    method: 'POST',
    headers: names.map((name) => [name, String(headers[name])]),
    signal,
  })
}

/** Null for messages that name none or that the SDK refuses. Throws INVALID_REQUEST. */
export function subscribedAgents(message: unknown): string[] | null {
  const { method, params } = (message ?? {}) as {
    method?: unknown
    params?: { notifications?: { resourceSubscriptions?: unknown } | null } | null
  }
  const uris = params?.notifications?.resourceSubscriptions
  if (method !== 'subscriptions/listen' || !Array.isArray(uris) || uris.length === 0) return null
  if (uris.length > MAX_SUBSCRIBED)
    throw new DomainError('INVALID_REQUEST', {
      problem: `resourceSubscriptions has ${uris.length} URIs. The maximum is ${MAX_SUBSCRIBED}`,
    })
  return uris.map((uri: unknown) => {
    if (typeof uri === 'string' && uri.startsWith(AGENT)) return uri.slice(AGENT.length)
    throw new DomainError('INVALID_REQUEST', {
      problem: `resourceSubscriptions accepts agent://{pda}, got ${quoted(uri)}`,
    })
  })
}

/** Counts as one live stream. Throws TOO_MANY_STREAMS, STREAMS_FULL and INVALID_PUBKEY. */
export async function subscribe(
  { liveEvents }: Services,
  agentPdas: string[],
  { request, raw: response }: FastifyReply,
): Promise<{ bus: ServerEventBus; signal: AbortSignal }> {
  const signal = disconnected(request)
  const client = { clientIp: request.ip, disconnected: () => signal }
  const events = await liveEvents.registryEvents({ agentPdas }, client)
  const send = async (listener: Parameters<ServerEventBus['subscribe']>[0]): Promise<void> => {
    for await (const { agentPda } of events) {
      listener({ kind: 'resource_updated', uri: AGENT + agentPda })
      await nextTurn()
      // A slow client must not fill the memory with unread notifications.
      if (response.writableNeedDrain) await once(response, 'drain', { signal })
    }
  }
  const bus: ServerEventBus = {
    publish: () => undefined,
    subscribe: (listener) => {
      // Clients subscribe again after a cut, but not when a stream ends normally.
      send(listener)
        .catch(() => undefined)
        .finally(() => response.destroy())
      return () => void events.return()
    },
  }
  return { bus, signal }
}
