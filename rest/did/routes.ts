import type { Door, RestApp } from '../door.ts'
import { GetDidDocumentDocument, ResolveDidDocument } from '../generated/graphql.ts'
import { toDidDocument, toResolution } from './map.ts'
import { didMediaType } from './media-type.ts'
import { getDidDocumentSchema, resolveDidSchema } from './schemas.ts'

export function didRoutes(app: RestApp, door: Door): void {
  const resolveDid = door.operation(ResolveDidDocument)
  const getDidDocument = door.operation(GetDidDocumentDocument)

  app.get('/did/:did', { schema: resolveDidSchema }, async (request) =>
    toResolution(await resolveDid(request, request.params)),
  )

  app.get('/did/:did/document', { schema: getDidDocumentSchema }, async (request, reply) => {
    const { did } = await getDidDocument(request, request.params)
    reply.type(didMediaType(request.headers.accept)).header('vary', 'accept')
    // Bytes, since Fastify adds a charset to JSON text, which this media type does not have.
    return Buffer.from(JSON.stringify(toDidDocument(did.didDocument)))
  })
}
