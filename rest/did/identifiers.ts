import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
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
import { addVary, TABLES_AGE_HEADERS } from '../plugins/read-headers.ts'
import type { Operations } from '../operations.ts'
import { errorResponses } from '../contract/error-responses.ts'
import { DateTime, type Json, named, object, text } from '../contract/shapes.ts'
import { responseSchema } from '../documents/responses.ts'
import { operations as documents } from '../documents/documents.ts'

/** Of GET /did/{did}/document. The first one is that of the contract. */
const DID_MEDIA_TYPES = ['application/did+ld+json', 'application/did'] as const
/** The document alone. The first one is the default. */
const DOCUMENT_TYPES = [
  'application/did',
  'application/did+ld+json',
  'application/ld+json',
  'application/json',
] as const
/** The document with metadata. The second one is the older name. */
const RESOLUTION_TYPES = [
  'application/did-resolution',
  'application/ld+json;profile="https://w3id.org/did-resolution"',
] as const
const DEREFERENCING = 'application/did-url-dereferencing'

type Properties = Readonly<Record<string, Json>>
const propertiesOf = (schema: Json): Properties => schema['properties'] as Properties

const DidDocument = propertiesOf(responseSchema(documents.get('ResolveDid')!))['didDocument']!
const members = propertiesOf(DidDocument)
const method = propertiesOf(members['verificationMethod']!['items'] as Json)
const Service = members['service']!['items'] as Json
const { publicKeyBase58: _, ...methodMembers } = method

const MultikeyMethod = named(
  'MultikeyVerificationMethod',
  object(
    {
      ...methodMembers,
      type: text('Always `Multikey`.', 'Multikey'),
      publicKeyMultibase: text(
        'Public key of the owner: `z` and base-58 of 0xed 0x01 and the key.',
        'z6MkqDuukCnKJMtTMdX3UtQ6t9gdMLDy3wNUrfpDbJTZRGz4',
      ),
    },
    { description: 'The key of the owner, in the form that stock verifiers read.' },
  ),
)
const MultikeyDocument = named('MultikeyDidDocument', {
  ...DidDocument,
  description: 'A DID Document whose key has the form Multikey.',
  properties: { ...members, verificationMethod: { ...members['verificationMethod'], items: MultikeyMethod } },
})

/** The response of GET /did/{did}/document. */
export const didDocumentResponse = {
  description: 'The DID Document.',
  content: {
    [DID_MEDIA_TYPES[0]]: { schema: DidDocument },
    [DID_MEDIA_TYPES[1]]: { schema: MultikeyDocument },
  },
}

const contentType = object({ contentType: text('The media type of the document.', 'application/did') })

const ResolutionResult = named(
  'DidResolutionResult',
  object(
    {
      didDocument: MultikeyDocument,
      didResolutionMetadata: contentType,
      didDocumentMetadata: object(
        {
          created: { ...DateTime, description: 'Time of the registration of the agent.' },
          updated: { ...DateTime, description: 'Time of the last change of the agent.' },
          versionId: text('Changes with the document.', 'q1lrm5n4cSnJRf8xPnJSBuxZ3Mv0ZfSfaXJmNIxnqXk'),
          deactivated: {
            type: 'boolean',
            description: 'True, with status 410, if the agent is deactivated.',
            examples: [true],
          },
        },
        { optional: ['deactivated'] },
      ),
    },
    { description: 'The result of DID Resolution.' },
  ),
)

const Dereferenced = named(
  'DidUrlDereferencingResult',
  object(
    {
      content: { description: 'The key, the service or its URL.', examples: ['https://a.example'] },
      contentMetadata: { type: 'object', examples: [{}] },
      dereferencingMetadata: contentType,
    },
    { description: 'The result of DID URL dereferencing.' },
  ),
)

const Part = {
  description: 'The document, or the key or the service that the DID URL names.',
  oneOf: [MultikeyDocument, MultikeyMethod, Service],
}

const contentOf = (types: readonly string[], schema: Json) =>
  Object.fromEntries(types.map((type) => [type, { schema }]))
const content = {
  ...contentOf(DOCUMENT_TYPES, Part),
  ...contentOf(RESOLUTION_TYPES, ResolutionResult),
  ...contentOf([DEREFERENCING], Dereferenced),
}

const resolveIdentifierSchema = {
  operationId: 'resolveIdentifier',
  tags: ['DID'],
  summary: 'Resolve a DID or dereference a DID URL',
  description:
    'The HTTPS binding of W3C DID Resolution. The key has the form Multikey. `Accept: application/did-resolution` adds the metadata. A DID URL with a fragment, such as `<did>%23key-1`, returns that part of the document. Clients that ask for a result get errors in the form of DID Resolution, others as in the rest of this document.',
  params: object({
    did: {
      type: 'string',
      description: '`did:sol:<owner>`, or a DID URL. Percent-encode `#` and `?`.',
      examples: members['id']!['examples'],
    },
  }),
  querystring: object(
    { service: text('Redirects to the endpoint of a service of the document.', 'agent-card') },
    { optional: ['service'] },
  ),
  response: {
    200: { description: 'The document, its part, or the result.', headers: TABLES_AGE_HEADERS, content },
    303: {
      type: 'null',
      description: 'The endpoint of the service.',
      headers: { location: { type: 'string', description: 'URL of the endpoint.' } },
    },
    410: {
      description: 'The agent of this DID is deactivated. The body is the same as for 200.',
      content,
    },
    ...errorResponses({
      codes: ['INVALID_DID', 'DID_NOT_FOUND', 'NOT_ACCEPTABLE', 'DID_METHOD_NOT_SUPPORTED'],
    }),
  },
}

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
export function identifierRoutes(app: FastifyInstance, operations: Operations): void {
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

/** That of the contract, or of DID 1.1 if Accept gives it a higher weight. */
export function didMediaType(accept: string | undefined): (typeof DID_MEDIA_TYPES)[number] {
  const [standard, newer] = DID_MEDIA_TYPES
  const ranges = rangesOf(accept)
  return (ranges.get(newer) ?? 0) > (ranges.get(standard) ?? 0) ? newer : standard
}

/**
 * The offered type to which Accept (RFC 9110, section 12.5.1) gives the highest weight, the first
 * one if several have it. Null if it allows none. An offer can have a `profile`.
 */
function preferredType<Type extends string>(
  accept: string | undefined,
  offers: readonly Type[],
): Type | null {
  if (accept === undefined) return offers[0] ?? null
  const ranges = rangesOf(accept)
  const weightOf = (offer: string): number =>
    ranges.get(offer) ?? ranges.get('application/*') ?? ranges.get('*/*') ?? 0
  const [best] = offers.toSorted((one, other) => weightOf(other) - weightOf(one))
  return best !== undefined && weightOf(best) > 0 ? best : null
}

/** The media ranges with their weights. Of the parameters, only `profile` belongs to a range. */
function rangesOf(accept = ''): Map<string, number> {
  const ranges = new Map<string, number>()
  for (const each of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim())
    const weight = Number(parameters.find((part) => part.startsWith('q='))?.slice(2) ?? 1)
    const profile = parameters.find((part) => part.startsWith('profile='))
    const range = profile === undefined ? name : `${name};${profile}`
    if (weight <= 1) ranges.set(range, Math.max(weight, ranges.get(range) ?? 0))
  }
  return ranges
}
