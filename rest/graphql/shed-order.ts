import type { FastifyRequest } from 'fastify'
import { LIMITS, parseLimited } from '../../schema/limits.ts'
import { MAY_BE_LAST, operationOrder } from '../../schema/shed-order.ts'
import type { ShedOrder } from '../../src/platform/overload/shed.ts'
import type { PersistedDocuments } from './persisted-documents.ts'

interface Params {
  readonly query?: string
  readonly operationName?: string | null
  readonly extensions?: Readonly<Record<string, unknown>> | null
}

/** When a request to /graphql is shed. What cannot be read is shed first, and else refused by whoever reads it. */
export function requestOrder(request: FastifyRequest, documents: PersistedDocuments): ShedOrder {
  try {
    const { query, operationName } = documents.complete(paramsOf(request))
    if (typeof query !== 'string' || query.length > LIMITS.characters || !MAY_BE_LAST.test(query))
      return 'first'
    return operationOrder(parseLimited(query), operationName)
  } catch {
    return 'first'
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
