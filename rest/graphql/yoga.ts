import { createLRUCache, createYoga } from 'graphql-yoga'
import { createGraphQLContext } from '../../schema/context.ts'
import { clientError } from '../../schema/errors.ts'
import { schema as completeSchema } from '../../schema/index.ts'
import { schemaWithoutLocalnet } from '../../schema/variants.ts'
import { CompiledQueries, createShortPath } from './compiled-queries.ts'
import { guards, type OperationRequest } from './guards.ts'
import { createPersistedDocuments } from './persisted-documents.ts'
import type { RestContext } from '../rest-context.ts'

/** Parsed documents in the cache. Each can take half a megabyte. */
const CACHED_DOCUMENTS = 100

export type GraphQLServer = ReturnType<typeof createGraphQLServer>

export function createGraphQLServer(context: RestContext) {
  const { services, logger, metrics, executor, hasLocalnet } = context
  const toClientError = (error: unknown) =>
    clientError(error, (err) => logger.error({ err }, 'operation failed'))
  const documents = createPersistedDocuments()
  const queries = new CompiledQueries()
  const schema = hasLocalnet ? completeSchema : schemaWithoutLocalnet()
  const yoga = createYoga<OperationRequest>({
    schema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    graphiql: false,
    multipart: false,
    batching: false,
    cors: false,
    // `toClientError` logs internal errors. Yoga would also log the mistakes of clients.
    logging: false,
    maskedErrors: { maskError: toClientError },
    parserAndValidationCache: {
      documentCache: createLRUCache({ max: CACHED_DOCUMENTS }),
      errorCache: createLRUCache({ max: CACHED_DOCUMENTS }),
    },
    plugins: [
      guards(documents, toClientError, (query, document) => {
        if (executor === 'jit') queries.offer(query, document)
      }),
    ],
    context: (request) => createGraphQLContext(services, request),
  })
  const shortPath = createShortPath({ services, metrics, documents, queries })
  return { yoga, toClientError, documents, shortPath, schema }
}
