import type { Logger } from '../../src/logger.ts'
import type { Services } from '../../src/services.ts'
import { printedSchema } from '../../schema/print.ts'
import type { RestApp } from '../door.ts'
import { createGraphQLServer } from './yoga.ts'

/** /graphql with GraphiQL, and the SDL. */
export function graphqlRoutes(app: RestApp, services: Services, logger: Logger): void {
  const yoga = createGraphQLServer(services, logger)
  app.route({
    url: '/graphql',
    method: ['GET', 'POST', 'OPTIONS'],
    // Yoga answers no HEAD.
    exposeHeadRoute: false,
    schema: { hide: true },
    handler: (request, reply) => yoga.handleNodeRequestAndResponse(request, reply, { clientIp: request.ip }),
  })

  const sdl = printedSchema()
  app.get('/graphql/schema.graphql', { schema: { hide: true } }, (_, reply) =>
    reply.type('text/plain; charset=utf-8').send(sdl),
  )
}
