import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { parseDidUrl } from '../../src/domain/did.ts'
import {
  type DidDocument,
  metadataOf,
  partOf,
  type ResolvedAgent,
  toMultikeyDocument,
} from '../../src/identity/did-document.ts'
import { DomainError, type ErrorCode, isDomainError } from '../../src/domain/errors.ts'
import { quoted } from '../../src/domain/quoted.ts'
import { errorResponse, handleError } from '../contract/errors.ts'
import { addVary } from '../contract/vary.ts'
import type { Operations } from '../operations.ts'
import type { RestApp } from '../rest-app.ts'
import { operations as documents } from '../documents/documents.ts'
import { DEREFERENCING, DOCUMENT_TYPES, RESOLUTION_TYPES, resolveIdentifierSchema } from './schemas.ts'
import { preferredType } from './media-type.ts'

const DOCUMENT_OFFERS = [...DOCUMENT_TYPES, ...RESOLUTION_TYPES, DEREFERENCING]
const PART_OFFERS = [...DOCUMENT_TYPES, DEREFERENCING]

interface Request {
  Params: { did: string }
  Querystring: { service?: string }
}

interface Resolution {
  readonly agent: ResolvedAgent
  readonly didDocument: DidDocument
}

/** The HTTPS binding of DID Resolution, for clients of the Universal Resolver. */
export function identifierRoutes(app: RestApp, operations: Operations): void {
  const resolve = operations.run(documents.get('ResolveIdentifier')!.document)
  const options = {
    ...operations.tables,
    schema: resolveIdentifierSchema,
    errorHandler: sendResolutionError,
    // Errors depend on Accept, too.
    onRequest: async (_request: FastifyRequest, reply: FastifyReply) => addVary(reply, 'accept'),
  }

  app.get<Request>('/1.0/identifiers/:did', options, async (request, reply) => {
    const { did, part, isService } = parseDidUrl(request.params.did, request.query.service)
    const { accept } = request.headers
    const offers: readonly string[] = part === null ? DOCUMENT_OFFERS : PART_OFFERS
    const type = preferredType(accept, offers)
    if (type === null)
      throw new DomainError('NOT_ACCEPTABLE', { type: offers.join(', '), value: quoted(accept) })
    const resolution = ((await resolve(request, { did })) as { did: Resolution }).did
    const document = toMultikeyDocument(resolution.didDocument)
    const metadata = metadataOf(resolution.agent, document)
    if ('deactivated' in metadata) reply.code(410)
    // Bytes, because Fastify adds a charset to texts.
    const send = (body: object) => reply.type(type).send(Buffer.from(JSON.stringify(body)))
    const [contentType] = DOCUMENT_TYPES
    if (RESOLUTION_TYPES.some((each) => each === type))
      return send({
        didDocument: document,
        didResolutionMetadata: { contentType },
        didDocumentMetadata: metadata,
      })
    const found = part === null ? document : partOf(document, part)
    if (found === null) throw new DomainError('DID_RESOURCE_NOT_FOUND', { given: quoted(part) })
    const endpoint = isService && 'serviceEndpoint' in found ? String(found.serviceEndpoint) : null
    if (type === DEREFERENCING)
      return send({
        content: endpoint ?? found,
        contentMetadata: part === null ? metadata : {},
        dereferencingMetadata: { contentType: endpoint === null ? contentType : 'text/uri-list' },
      })
    return endpoint === null ? send(found) : reply.code(303).header('location', endpoint).send()
  })
}

const TYPES: Partial<Record<ErrorCode, string>> = {
  INVALID_DID: 'INVALID_DID',
  DID_NOT_FOUND: 'NOT_FOUND',
  DID_RESOURCE_NOT_FOUND: 'NOT_FOUND',
  DID_METHOD_NOT_SUPPORTED: 'METHOD_NOT_SUPPORTED',
  NOT_ACCEPTABLE: 'REPRESENTATION_NOT_SUPPORTED',
}

/** Sends errors of resolution in the form of DID Resolution to clients that ask for its results. */
function sendResolutionError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const name = isDomainError(error) ? TYPES[error.code] : undefined
  const { accept } = request.headers
  const type = accept === undefined ? null : preferredType(accept, ['', ...RESOLUTION_TYPES, DEREFERENCING])
  if (name === undefined || !type || !isDomainError(error)) return handleError(error, request, reply)
  const { status, body } = errorResponse(error)
  const failure = { error: { type: `https://www.w3.org/ns/did#${name}`, title: body.error } }
  const result =
    type === DEREFERENCING
      ? { content: null, contentMetadata: {}, dereferencingMetadata: failure }
      : { didDocument: null, didResolutionMetadata: failure, didDocumentMetadata: {} }
  return reply
    .code(status)
    .type(type)
    .send(Buffer.from(JSON.stringify(result)))
}
