import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createGraphQLContext } from '../schema/context.ts'
import type { Services } from '../src/services.ts'
import { type Executor, operation } from './execute.ts'
import { noteRateLimit } from './rate-limit-headers.ts'
import { createAuthenticate } from './wallet.ts'

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
  /** Options of a route that only a wallet may call: its signature is checked before the body is read. */
  readonly guarded: { readonly onRequest: (request: FastifyRequest) => Promise<void> }
}

export function createDoor(services: Services, executor: Executor): Door {
  const authenticate = createAuthenticate(services)
  const contextOf = (request: FastifyRequest) =>
    createGraphQLContext({
      services,
      clientIp: request.ip,
      authenticate: () => authenticate(request),
      onCount: (state) => noteRateLimit(request, state),
    })
  return {
    operation: (document) => {
      const run = operation(document, executor)
      return (request, variables) => run(contextOf(request), variables)
    },
    guarded: {
      onRequest: async (request) => {
        await authenticate(request)
      },
    },
  }
}
