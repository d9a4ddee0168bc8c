import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createGraphQLContext } from '../schema/context.ts'
import type { Services } from '../src/services.ts'
import { type Executor, operation } from './execute.ts'

export type RestApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** How routes reach the schema: each operation is prepared when its routes are registered. */
export interface Door {
  operation<Data, Variables extends Record<string, unknown>>(
    document: TypedDocumentNode<Data, Variables>,
  ): (request: FastifyRequest, variables: Variables) => Promise<Data>
}

export function createDoor(services: Services, executor: Executor): Door {
  return {
    operation: (document) => {
      const run = operation(document, executor)
      return (request, variables) => run(createGraphQLContext({ services, clientIp: request.ip }), variables)
    },
  }
}
