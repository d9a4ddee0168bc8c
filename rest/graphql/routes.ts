import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { printedSchema } from '../../schema/print.ts'
import { quoted } from '../../src/domain/quoted.ts'
import { DomainError } from '../../src/domain/errors.ts'
import type { Services } from '../../src/compose/services.ts'
import { graphiqlPage, wantsPage } from './graphiql.ts'
import { chargeRequest, countRequest } from '../plugins/rate-limits.ts'
import type { OriginGuard } from '../plugins/origin-guard.ts'
import { sendTablesAge } from '../plugins/read-headers.ts'
import { authenticateRequest, authenticateToken } from '../plugins/wallet-auth.ts'
import type { OperationRequest } from './guards.ts'
import { disconnected, isEventStream, sendEventStream } from '../plugins/event-stream.ts'
import { acceptWebSockets, createSocketServer } from './web-socket.ts'
import { createGraphQLServer, type GraphQLServer } from './yoga.ts'
import type { RestContext } from '../rest-context.ts'
import { LIMITS, parseLimited } from '../../schema/limits.ts'
import { MAY_HAVE_HIGH_PRIORITY, operationPriority } from '../../schema/priority.ts'
import type { Priority } from '../../src/platform/overload/admission.ts'
import type { OperationParams, PersistedDocuments } from './persisted-documents.ts'

/** Registers /graphql with GraphiQL, event streams and WebSockets, and the SDL. */
export function graphqlRoutes(app: FastifyInstance, context: RestContext, originGuard: OriginGuard): void {
  const { services } = context
  const server = createGraphQLServer(context)
  const handler = requestHandler(server, services, graphiqlPage(app))
  void app.register(async (scope: FastifyInstance) => {
    await acceptWebSockets(scope)
    const route = {
      url: '/graphql',
      schema: { hide: true },
      config: { priority: (request: FastifyRequest) => requestPriority(request, server.documents) },
      handler,
    }
    const tablesAge = sendTablesAge(services)
    scope.route({ ...route, method: ['POST', 'OPTIONS'], preHandler: tablesAge })
    const { admit, wsHandler } = socketHandlers(server, context, originGuard)
    scope.route({
      ...route,
      method: 'GET',
      // Yoga does not support HEAD.
      exposeHeadRoute: false,
      preHandler: async (request, reply) => (request.ws ? admit(request) : tablesAge(request, reply)),
      wsHandler,
    })
  })

  // Printing takes as long as compiling many operations, and few clients ask for it.
  let sdl: Buffer | undefined
  app.get('/graphql/schema.graphql', { schema: { hide: true } }, (_, reply) =>
    reply.type('text/plain; charset=utf-8').send((sdl ??= Buffer.from(printedSchema(server.schema)))),
  )
}

function contextOf(services: Services, request: FastifyRequest): OperationRequest {
  return {
    clientIp: request.ip,
    authenticate: () => authenticateRequest(services, request),
    count: (kind) => countRequest(services, request, kind),
    charge: (units, paid) => chargeRequest(services, request, units, { paid }),
    chargeUsed: (units) => services.rateLimits.chargeUsed(request.ip, units),
    disconnected: () => disconnected(request),
  }
}

/** Answers POST and GET: the page of GraphiQL, the short path of compiled queries, or Yoga. */
function requestHandler(
  server: GraphQLServer,
  services: Services,
  sendGraphiql: ReturnType<typeof graphiqlPage>,
) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (wantsPage(request)) return sendGraphiql(request, reply)
    if (request.method === 'POST' && !isOperation(request.body)) {
      throw new DomainError('INVALID_REQUEST', {
        problem: 'The body must be one JSON object with a query',
      })
    }
    const context: OperationRequest = {
      ...contextOf(services, request),
      // Not for sockets: they would keep what the first request could do.
      operator: () => {
        void reply.header('cache-control', 'no-store')
        return services.operators.authorize(request.headers.authorization)
      },
    }
    const answer = await server.shortPath.answer(request, context)
    if (answer !== null) return reply.header('content-type', answer.mediaType).send(answer.body)
    const response = await server.yoga.handleNodeRequestAndResponse(request, reply, context)
    server.shortPath.learn(request, response)
    if (response.status === 406) throw notAcceptable(request, response)
    if (isEventStream(response)) return sendEventStream(reply, response)
    return response
  }
}

/** `admit` runs before the upgrade of a connection, `wsHandler` after it. */
function socketHandlers(
  server: GraphQLServer,
  { services, connectionLimits }: RestContext,
  originGuard: OriginGuard,
) {
  const sockets = createSocketServer(server, services.admission, connectionLimits)
  return {
    admit: (request: FastifyRequest): void => {
      request.leaveFlight?.()
      originGuard.checkOrigin(request.raw)
      sockets.checkLimit(request.ip)
    },
    wsHandler: (socket: WebSocket, request: FastifyRequest): void => {
      sockets.serve(socket, contextOf(services, request), (authorization) =>
        authenticateToken(services, request, authorization),
      )
    },
  }
}

function isOperation(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length > 0
}

/** Yoga lists the supported media types in `accept`. A subscription supports only event streams. */
function notAcceptable(request: FastifyRequest, response: Response): DomainError {
  const couldBeJson = response.headers.get('accept')?.includes('application/json') === true
  const type = couldBeJson ? 'application/json' : 'text/event-stream'
  return new DomainError('NOT_ACCEPTABLE', { type, value: quoted(request.headers.accept) })
}

/**
 * The priority of a request to /graphql. Low if it is invalid; the handler then reports the error.
 */
function requestPriority(request: FastifyRequest, documents: PersistedDocuments): Priority {
  try {
    const { query, operationName } = documents.complete(readParams(request))
    if (typeof query !== 'string' || query.length > LIMITS.characters || !MAY_HAVE_HIGH_PRIORITY.test(query))
      return 'low'
    return operationPriority(parseLimited(query), operationName)
  } catch {
    return 'low'
  }
}

function readParams({ method, url, body }: FastifyRequest): OperationParams {
  if (method === 'POST') return (body as OperationParams | null) ?? {}
  const params = new URL(url, 'http://localhost').searchParams
  return {
    query: params.get('query') ?? undefined,
    operationName: params.get('operationName'),
    extensions: JSON.parse(params.get('extensions') ?? 'null') as OperationParams['extensions'],
  }
}
