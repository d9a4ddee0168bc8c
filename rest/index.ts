import { DomainError } from '../src/domain/errors.ts'
import { type DidDocument, toDidDocument, toMultikeyDocument } from '../src/identity/did-document.ts'
import type { Services } from '../src/compose/services.ts'
import { named, object } from './contract/shapes.ts'
import { contextRoute } from './credentials/context-route.ts'
import { identifierRoutes } from './did/identifiers.ts'
import { didMediaType } from './did/media-type.ts'
import { didDocumentResponse } from './did/schemas.ts'
import type { Operation } from './documents/documents.ts'
import { endpoints, toEndpoint } from './documents/endpoints.ts'
import { documentRoutes, type SpecialCase } from './documents/routes.ts'
import type { Executor } from './execute.ts'
import { idlRoute } from './health/idl-route.ts'
import { createOperations } from './operations.ts'
import type { RestApp } from './rest-app.ts'

export interface RestOptions {
  readonly services: Services
  /** How operations run; `execute` is the slow fallback. */
  readonly executor: Executor
  /** `operations` has health, readiness, info and metrics only. */
  readonly surface: 'all' | 'operations'
  /** Of the operator (documents/operators.ts). */
  readonly operatorDocuments: readonly Operation[]
}

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

/** Registers the documented HTTP API: the endpoints of documents, and a few by hand. */
export function registerRest(app: RestApp, options: RestOptions): void {
  const operations = createOperations(app, options)
  const isAll = options.surface === 'all'
  const own = options.operatorDocuments.flatMap((each) => toEndpoint(each) ?? [])
  documentRoutes(app, {
    operations,
    specialCases: SPECIAL_CASES,
    endpoints: isAll ? [...endpoints, ...own] : endpoints.filter(({ rest }) => rest.tag === 'Service'),
  })
  if (!isAll) return
  identifierRoutes(app, operations)
  contextRoute(app)
  idlRoute(app, options.services)
}
