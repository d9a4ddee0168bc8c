import { GetDidDocumentDocument, ResolveDidDocument } from '../generated/graphql.ts'
import type { Operations } from '../operations.ts'
import type { RestApp } from '../rest-app.ts'
import { toDidDocument, toMultikeyDocument } from './documents.ts'
import { identifierRoutes } from './identifiers.ts'
import { didMediaType } from './media-type.ts'
import { getDidDocumentSchema, resolveDidSchema } from './schemas.ts'

export function didRoutes(app: RestApp, operations: Operations): void {
  const resolveDid = operations.read(ResolveDidDocument, {
    tables: ['agents'],
    toBody: ({ did }) => ({ ...did, didDocument: toDidDocument(did.didDocument) }),
  })
  const getDidDocument = operations.read(GetDidDocumentDocument, {
    tables: ['agents'],
    toBody: ({ did }, mediaType) =>
      mediaType === 'application/did' ? toMultikeyDocument(did.didDocument) : toDidDocument(did.didDocument),
    mediaType: didMediaType,
  })

  app.get('/did/:did', { ...operations.tables, schema: resolveDidSchema }, (request, reply) =>
    resolveDid(request, reply, request.params),
  )

  app.get('/did/:did/document', { ...operations.tables, schema: getDidDocumentSchema }, (request, reply) =>
    getDidDocument(request, reply, request.params),
  )

  identifierRoutes(app, operations)
}
