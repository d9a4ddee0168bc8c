import { createLRUCache, createYoga } from 'graphql-yoga'
import { createGraphQLContext } from '../../schema/context.ts'
import { clientError } from '../../schema/errors.ts'
import { schema } from '../../schema/index.ts'
import type { Logger } from '../../src/platform/logger.ts'
import type { Services } from '../../src/services.ts'
import { charges, type OperationRequest } from './charges.ts'
import { guards } from './guards.ts'
import { createPersistedDocuments, persistedDocumentsPlugin } from './persisted-documents.ts'

/** Parsed documents in the cache. Each can take half a megabyte. */
const CACHED_DOCUMENTS = 100

export type GraphQLServer = ReturnType<typeof createGraphQLServer>

export function createGraphQLServer(services: Services, logger: Logger) {
  const toClientError = (error: unknown) =>
    clientError(error, (err) => logger.error({ err }, 'operation failed'))
  const documents = createPersistedDocuments()
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
    plugins: [persistedDocumentsPlugin(documents), guards(toClientError), charges],
    context: (request) => createGraphQLContext(services, request),
  })
  return { yoga, toClientError, documents }
}
