import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { Counter } from 'prom-client'
import { createGraphQLContext } from '../../../schema/context.ts'
import { documentUnits } from '../../../schema/operation-cost.ts'
import type { Metrics } from '../../../src/platform/metrics/metrics.ts'
import type { Services } from '../../../src/compose/services.ts'
import type { OperationRequest } from '../guards.ts'
import type { OperationParams, PersistedDocuments } from '../persisted-documents.ts'
import type { CompiledQueries } from './compiled-queries.ts'

/** Accept headers that are remembered, the last used ones. */
const MAX_ACCEPT_HEADERS = 50
/** Without the header, a response has the media type as for this one. */
const ANY_TYPE = '*/*'
/** A query that fails is executed and charged twice, which its client must be able to pay. */
const MAX_UNITS = 100
const JSON_TYPES = /^application\/(graphql-response\+)?json;/
const MEMBERS = new Set(['query', 'variables', 'operationName', 'extensions'])

interface Params extends OperationParams {
  readonly variables?: Readonly<Record<string, unknown>> | null
}

/**
 * Answers compiled queries without Yoga, whose Request and Response take three times as long as a
 * small query. What is unusual or has an error is left to Yoga, which charges and executes it
 * again.
 */
export function createShortPath(dependencies: {
  readonly services: Services
  readonly metrics: Metrics
  readonly documents: PersistedDocuments
  readonly queries: CompiledQueries
}) {
  const { services, metrics, documents, queries } = dependencies
  const answered = new Counter({
    name: 'gateway_graphql_compiled_total',
    help: 'Requests to /graphql that a compiled query answered',
    registers: [metrics],
  })
  const mediaTypes = new LRUCache<string, string>({ max: MAX_ACCEPT_HEADERS })
  return {
    /** Null if Yoga must answer. */
    answer: async (request: FastifyRequest, context: OperationRequest) => {
      const mediaType = mediaTypes.get(request.headers.accept ?? ANY_TYPE)
      const params = mediaType === undefined ? null : readParams(request, documents)
      const query = params?.query === undefined ? undefined : queries.find(params.query)
      if (mediaType === undefined || !params?.query || query === undefined) return null
      const { operationName = null, variables } = params
      if (operationName !== null && operationName !== query.operationName) return null
      const units = documentUnits(params.query) + query.units(variables ?? {})
      if (units > MAX_UNITS) return null
      try {
        context.charge(units, 1)
      } catch {
        return null
      }
      const body = await query.run(createGraphQLContext(services, context), variables ?? {})
      if (body === null) {
        context.charge(1, 0)
        return null
      }
      documents.store(params)
      answered.inc()
      return { body, mediaType }
    },
    /** Remembers the media type that Yoga chose for the Accept header of a request. */
    learn: ({ headers: { accept } }: FastifyRequest, { status, headers }: Response): void => {
      const mediaType = headers.get('content-type')
      if (status !== 200 || mediaType === null || !JSON_TYPES.test(mediaType)) return
      mediaTypes.set(accept ?? ANY_TYPE, mediaType)
    },
  }
}

/** Null for what Yoga refuses, or could read in another way. */
function readParams({ method, headers, body }: FastifyRequest, documents: PersistedDocuments): Params | null {
  if (method !== 'POST' || headers['content-type']?.startsWith('application/json') !== true) return null
  if (!Object.keys(body as object).every((name) => MEMBERS.has(name))) return null
  try {
    const params = documents.complete(body as Params)
    return isObject(params.variables) && isObject(params.extensions) ? params : null
  } catch {
    return null
  }
}

const isObject = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && !Array.isArray(value))
