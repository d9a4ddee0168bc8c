import { operations as documents } from '../documents/documents.ts'
import type { Operations } from '../operations.ts'
import type { RestApp } from '../rest-app.ts'
import { type DidData, toDidDocument, toMultikeyDocument } from '../../src/identity/did/representations.ts'
import { identifierRoutes } from './identifiers.ts'
import { didMediaType } from './media-type.ts'
import { getDidDocumentSchema } from './schemas.ts'

/** Routes whose media type depends on Accept. */
export function didRoutes(app: RestApp, operations: Operations): void {
  const getDidDocument = operations.read(documents.get('GetDidDocument')!.document, {
    tables: ['agents'],
    toBody: (data, mediaType) => {
      const { didDocument } = (data as { did: { didDocument: DidData } }).did
      return mediaType === 'application/did' ? toMultikeyDocument(didDocument) : toDidDocument(didDocument)
    },
    mediaType: didMediaType,
  })
  app.get('/did/:did/document', { ...operations.tables, schema: getDidDocumentSchema }, (request, reply) =>
    getDidDocument(request, reply, request.params as Record<string, unknown>),
  )
  identifierRoutes(app, operations)
}
