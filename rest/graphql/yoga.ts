import { createLRUCache, createYoga } from 'graphql-yoga'
import { createGraphQLContext } from '../../schema/context.ts'
import { clientError } from '../../schema/errors.ts'
import { schema as completeSchema } from '../../schema/index.ts'
import { schemaWithoutLocalnet } from '../../schema/variants.ts'
import type { Logger } from '../../src/platform/logger.ts'
import type { Metrics } from '../../src/platform/metrics/metrics.ts'
import type { Services } from '../../src/compose/services.ts'
import type { Executor } from '../execute.ts'
import type { OperationRequest } from './charges.ts'
import { CompiledQueries } from './compiled/compiled-queries.ts'
import { createShortPath } from './compiled/short-path.ts'
import { guards } from './guards.ts'
import { createPersistedDocuments } from './persisted-documents.ts'

/** Parsed documents in the cache. Each can take half a megabyte. */
const CACHED_DOCUMENTS = 100

export interface GraphQLServerOptions {
  readonly services: Services
  readonly logger: Logger
  readonly metrics: Metrics
  /** `execute` runs all operations with graphql-js. */
  readonly executor: Executor
  /** Whether the process runs a localnet. */
  readonly hasLocalnet: boolean
}

export type GraphQLServer = ReturnType<typeof createGraphQLServer>

export function createGraphQLServer(options: GraphQLServerOptions) {
  const { services, logger, metrics, executor, hasLocalnet } = options
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
