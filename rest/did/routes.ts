import type { Operations } from '../operations.ts'
import { GetDidDocumentDocument, ResolveDidDocument } from '../generated/graphql.ts'
import { toDidDocument, toResolution } from './map.ts'
import { didMediaType } from './media-type.ts'
import { getDidDocumentSchema, resolveDidSchema } from './schemas.ts'
import type { RestApp } from '../rest-app.ts'

export function didRoutes(app: RestApp, door: Operations): void {
  const resolveDid = door.read(ResolveDidDocument, { tables: ['agents'], toBody: toResolution })
  const getDidDocument = door.read(GetDidDocumentDocument, {
    tables: ['agents'],
    toBody: ({ did }) => toDidDocument(did.didDocument),
    mediaType: didMediaType,
  })

  app.get('/did/:did', { schema: resolveDidSchema }, (request, reply) =>
    resolveDid(request, reply, request.params),
  )

  app.get('/did/:did/document', { schema: getDidDocumentSchema }, (request, reply) =>
    getDidDocument(request, reply, request.params),
  )
}
