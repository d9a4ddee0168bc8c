import type { FastifyInstance } from 'fastify'
import { DomainError } from '../src/domain/errors.ts'
import { type DidDocument, toDidDocument, toMultikeyDocument } from '../src/identity/did-document.ts'
import { named, object } from './contract/shapes.ts'
import { didDocumentResponse, didMediaType, identifierRoutes } from './did/identifiers.ts'
import { endpoints, toEndpoint } from './documents/endpoints.ts'
import { documentRoutes, type SpecialCase } from './documents/routes.ts'
import { contextRoute, idlRoute } from './static-documents.ts'
import { createOperations } from './operations.ts'
import type { RestContext } from './rest-context.ts'

/** What endpoints do that their documents cannot say, by the name of the operation. */
const SPECIAL_CASES: Readonly<Record<string, SpecialCase>> = {
  // A replica that is not ready responds with 503.
  GetReadiness: {
    body: ({ readiness }: { readiness: { ready: boolean; missing: readonly string[] } }) => {
      if (!readiness.ready) throw new DomainError('NOT_READY', { missing: readiness.missing.join('; ') })
      return { status: 'ready' }
    },
    schema: named(
      'Readiness',
      object(
        { status: { type: 'string', enum: ['ready'] } },
        { description: 'The replica can receive requests.' },
      ),
    ),
  },
  // The form of the key depends on the media type.
  GetDidDocument: {
    mediaType: didMediaType,
    body: ({ did: { didDocument } }: { did: { didDocument: DidDocument } }, mediaType) =>
      mediaType === 'application/did' ? toMultikeyDocument(didDocument) : toDidDocument(didDocument),
    schema: didDocumentResponse,
  },
}

/**
 * Registers the documented HTTP API: the endpoints of documents, and a few by hand. `operations`
 * has health, readiness and info only.
 */
export function registerRest(
  app: FastifyInstance,
  context: RestContext,
  surface: 'all' | 'operations',
): void {
  const operations = createOperations(app, context)
  const isAll = surface === 'all'
  const own = context.operatorDocuments.flatMap((each) => toEndpoint(each) ?? [])
  documentRoutes(app, {
    operations,
    specialCases: SPECIAL_CASES,
    endpoints: isAll ? [...endpoints, ...own] : endpoints.filter(({ rest }) => rest.tag === 'Service'),
  })
  if (!isAll) return
  identifierRoutes(app, operations)
  contextRoute(app)
  idlRoute(app, context.services)
}
