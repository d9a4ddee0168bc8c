import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { FastifyRequest } from 'fastify'
import { createGraphQLContext } from '../schema/context.ts'
import type { Services } from '../src/services.ts'
import { type Executor, operation } from './execute.ts'
import { noteRateLimit } from './plugins/rate-limit-headers.ts'
import { cachedRead, type Read, type ReadOptions } from './plugins/response-cache/cached-read.ts'
import type { ResponseCache } from './plugins/response-cache/response-cache.ts'
import { createAuthenticate } from './plugins/wallet.ts'

/** How routes reach the schema: each operation is prepared when its routes are registered. */
export interface Door {
  operation<Data, Variables extends Record<string, unknown>>(
    document: TypedDocumentNode<Data, Variables>,
  ): (request: FastifyRequest, variables: Variables) => Promise<Data>
  /** The same for a public read, whose answer may be kept while the tables that it is made of stay as they are. */
  read<Data, Variables extends Record<string, unknown>, Body>(
    document: TypedDocumentNode<Data, Variables>,
    options: ReadOptions<Data, Body>,
  ): Read<Variables, Body>
  /** Options of a route that only a wallet may call: its signature is checked before the body is read. */
  readonly guarded: {
    readonly config: { readonly priority: 'high' }
    readonly onRequest: (request: FastifyRequest) => Promise<void>
  }
}

/** Without a cache every read is made anew. */
export function createDoor(services: Services, executor: Executor, cache: ResponseCache | null): Door {
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
    read: (document, options) => cachedRead({ ...options, document, executor, contextOf, services, cache }),
    guarded: {
      config: { priority: 'high' },
      onRequest: async (request) => {
        await authenticate(request)
      },
    },
  }
}
