import type { FastifyRequest } from 'fastify'
import { LIMITS, parseLimited } from '../../schema/limits.ts'
import { MAY_HAVE_HIGH_PRIORITY, operationPriority } from '../../schema/priority.ts'
import type { Priority } from '../../src/platform/overload/admission.ts'
import type { OperationParams, PersistedDocuments } from './persisted-documents.ts'

/**
 * The priority of a request to /graphql. Low if it is invalid; the handler then reports the error.
 */
export function requestPriority(request: FastifyRequest, documents: PersistedDocuments): Priority {
  try {
    const { query, operationName } = documents.complete(readParams(request))
    if (typeof query !== 'string' || query.length > LIMITS.characters || !MAY_HAVE_HIGH_PRIORITY.test(query))
      return 'low'
    return operationPriority(parseLimited(query), operationName)
  } catch {
    return 'low'
  }
}

function readParams({ method, url, body }: FastifyRequest): OperationParams {
  if (method === 'POST') return (body as OperationParams | null) ?? {}
  const params = new URL(url, 'http://localhost').searchParams
  return {
    query: params.get('query') ?? undefined,
    operationName: params.get('operationName'),
    extensions: JSON.parse(params.get('extensions') ?? 'null') as OperationParams['extensions'],
  }
}
