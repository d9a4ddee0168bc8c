import type { FastifyRequest } from 'fastify'
import type { RequestContext } from '../../schema/context.ts'
import { printedSchema } from '../../schema/print.ts'
import { quoted } from '../../src/domain/quoted.ts'
import { DomainError } from '../../src/domain/errors.ts'
import type { Logger } from '../../src/platform/logger.ts'
import type { Services } from '../../src/services.ts'
import { sendGraphiql, wantsPage } from './graphiql.ts'
import { countRequest } from '../plugins/rate-limits.ts'
import type { PageGuard } from '../plugins/page-guard.ts'
import { authenticateRequest } from '../plugins/wallet-auth.ts'
import { createEventStreams, isEventStream } from './event-stream.ts'
import { limitValues } from './limit-values.ts'
import { requestPriority } from './request-priority.ts'
import { webSockets } from './upgrades.ts'
import { createSocketServer } from './web-socket.ts'
import { createGraphQLServer } from './yoga.ts'
import type { RestApp } from '../rest-app.ts'

/** /graphql with GraphiQL, and the SDL. */
export function graphqlRoutes(
  app: RestApp,
  { services, logger, pages }: { services: Services; logger: Logger; pages: PageGuard },
): void {
  const server = createGraphQLServer(services, logger)
  const serveSocket = createSocketServer(server, services.admission)
  const upgrades = webSockets(app, pages)
  const streams = createEventStreams()
  app.addHook('preClose', async () => streams.cutAll())
  const contextOf = (request: FastifyRequest): RequestContext => ({
    clientIp: request.ip,
    authenticate: () => authenticateRequest(services, request),
    count: (kind) => countRequest(services, request, kind),
  })
  void app.register(async (scope: RestApp) => {
    limitValues(scope)
    scope.route({
      url: '/graphql',
      method: ['GET', 'POST', 'OPTIONS'],
      // Yoga answers no HEAD.
      exposeHeadRoute: false,
      schema: { hide: true },
      config: { priority: (request) => requestPriority(request, server.documents) },
      handler: async (request, reply) => {
        if (upgrades.asks(request)) {
          // A signature is valid for one request, but a socket carries many operations.
          const context = { ...contextOf(request), authenticate: undefined }
          return upgrades.accept(request, reply, (socket) => serveSocket(socket, context))
        }
        if (wantsPage(request)) return sendGraphiql(request, reply)
        if (request.method === 'POST' && !isOperation(request.body)) {
          throw new DomainError('INVALID_REQUEST', {
            problem: 'The body must be one JSON object with a query',
          })
        }
        const response = await server.yoga.handleNodeRequestAndResponse(request, reply, contextOf(request))
        if (response.status === 406) throw notAcceptable(request, response)
        if (isEventStream(response)) return streams.send(reply, response)
        return response
      },
    })
  })

  const sdl = printedSchema()
  app.get('/graphql/schema.graphql', { schema: { hide: true } }, (_, reply) =>
    reply.type('text/plain; charset=utf-8').send(sdl),
  )
}

function isOperation(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length > 0
}

/** What streams can only be sent as one; Yoga lists what it could have sent. */
function notAcceptable(request: FastifyRequest, response: Response): DomainError {
  const couldBeJson = response.headers.get('accept')?.includes('application/json') === true
  const type = couldBeJson ? 'application/json' : 'text/event-stream'
  return new DomainError('NOT_ACCEPTABLE', { type, value: quoted(request.headers.accept) })
}
