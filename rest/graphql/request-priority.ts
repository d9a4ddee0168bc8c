import type { FastifyRequest } from 'fastify'
import { LIMITS, parseLimited } from '../../schema/limits.ts'
import { MAY_HAVE_HIGH_PRIORITY, operationPriority } from '../../schema/priority.ts'
import type { Priority } from '../../src/platform/overload/priority.ts'
import type { PersistedDocuments } from './persisted-documents.ts'

interface Params {
  readonly query?: string
  readonly operationName?: string | null
  readonly extensions?: Readonly<Record<string, unknown>> | null
}

/** When a request to /graphql is shed. What cannot be read is shed first, and else refused by whoever reads it. */
export function requestPriority(request: FastifyRequest, documents: PersistedDocuments): Priority {
  try {
    const { query, operationName } = documents.complete(paramsOf(request))
    if (typeof query !== 'string' || query.length > LIMITS.characters || !MAY_HAVE_HIGH_PRIORITY.test(query))
      return 'low'
    return operationPriority(parseLimited(query), operationName)
  } catch {
    return 'low'
  }
}

function paramsOf({ method, url, body }: FastifyRequest): Params {
  if (method === 'POST') return (body as Params | null) ?? {}
  const given = new URL(url, 'http://localhost').searchParams
  return {
    query: given.get('query') ?? undefined,
    operationName: given.get('operationName'),
    extensions: JSON.parse(given.get('extensions') ?? 'null') as Params['extensions'],
  }
}
