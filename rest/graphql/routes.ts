import type { FastifyRequest } from 'fastify'
import { printedSchema } from '../../schema/print.ts'
import { quoted } from '../../src/domain/quoted.ts'
import { DomainError } from '../../src/errors.ts'
import type { Logger } from '../../src/logger.ts'
import type { Services } from '../../src/services.ts'
import type { RestApp } from '../door.ts'
import { sendGraphiql, wantsPage } from './graphiql.ts'
import { noteRateLimit } from '../rate-limit-headers.ts'
import { createAuthenticate } from '../wallet.ts'
import { createGraphQLServer } from './yoga.ts'

/** /graphql with GraphiQL, and the SDL. */
export function graphqlRoutes(app: RestApp, services: Services, logger: Logger): void {
  const yoga = createGraphQLServer(services, logger)
  const authenticate = createAuthenticate(services)
  app.route({
    url: '/graphql',
    method: ['GET', 'POST', 'OPTIONS'],
    // Yoga answers no HEAD.
    exposeHeadRoute: false,
    schema: { hide: true },
    handler: async (request, reply) => {
      if (wantsPage(request)) return sendGraphiql(request, reply)
      if (request.method === 'POST' && !isOperation(request.body)) {
        throw new DomainError('INVALID_REQUEST', { problem: 'The body must be one JSON object with a query' })
      }
      const response = await yoga.handleNodeRequestAndResponse(request, reply, {
        clientIp: request.ip,
        authenticate: () => authenticate(request),
        onCount: (state) => noteRateLimit(request, state),
      })
      if (response.status === 406) throw notAcceptable(request)
      return response
    },
  })

  const sdl = printedSchema()
  app.get('/graphql/schema.graphql', { schema: { hide: true } }, (_, reply) =>
    reply.type('text/plain; charset=utf-8').send(sdl),
  )
}

function isOperation(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length > 0
}

function notAcceptable(request: FastifyRequest): DomainError {
  return new DomainError('NOT_ACCEPTABLE', { value: quoted(request.headers.accept) })
}
