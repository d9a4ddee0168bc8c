import { createLRUCache, createYoga } from 'graphql-yoga'
import { createGraphQLContext, type RequestContext } from '../../schema/context.ts'
import { clientError } from '../../schema/errors.ts'
import { schema } from '../../schema/index.ts'
import type { Logger } from '../../src/platform/logger.ts'
import type { Services } from '../../src/services.ts'
import { guards } from './guards.ts'
import { createPersistedDocuments, persistedDocumentsPlugin } from './persisted-documents.ts'

/** Parsed documents that are kept; each may take half a megabyte. */
const DOCUMENTS_KEPT = 100

export type GraphQLServer = ReturnType<typeof createGraphQLServer>

export function createGraphQLServer(services: Services, logger: Logger) {
  const toClientError = (error: unknown) =>
    clientError(error, (err) => logger.error({ err }, 'operation failed'))
  const documents = createPersistedDocuments()
  const yoga = createYoga<RequestContext>({
    schema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    graphiql: false,
    multipart: false,
    batching: false,
    cors: false,
    // Defects are reported by `toClientError`; what Yoga would log besides are mistakes of clients.
    logging: false,
    maskedErrors: { maskError: toClientError },
    parserAndValidationCache: {
      documentCache: createLRUCache({ max: DOCUMENTS_KEPT }),
      errorCache: createLRUCache({ max: DOCUMENTS_KEPT }),
    },
    plugins: [persistedDocumentsPlugin(documents), guards(toClientError)],
    context: (request) => createGraphQLContext(services, request),
  })
  return { yoga, toClientError, documents }
}
