import { Type } from 'typebox'
import { errors, named, Timestamp } from '../contract/shapes.ts'
import { TABLES_AGE_HEADERS } from '../plugins/tables-age.ts'
import { DID_EXAMPLE, MultikeyDocument, MultikeyMethod, Service } from './schemas.ts'

/** The document alone. The first one is the default. */
export const DOCUMENT_TYPES = [
  'application/did',
  'application/did+ld+json',
  'application/ld+json',
  'application/json',
] as const
/** The document with metadata. The second one is the older name. */
export const RESOLUTION_TYPES = [
  'application/did-resolution',
  'application/ld+json;profile="https://w3id.org/did-resolution"',
] as const
export const DEREFERENCING = 'application/did-url-dereferencing'

const ContentType = Type.Object({ contentType: Type.String({ examples: ['application/did'] }) })

const ResolutionResult = named(
  'DidResolutionResult',
  Type.Object(
    {
      didDocument: MultikeyDocument,
      didResolutionMetadata: ContentType,
      didDocumentMetadata: Type.Object({
        created: Timestamp('Time of the registration of the agent.'),
        updated: Timestamp('Time of the last change of the agent.'),
        versionId: Type.String({
          description: 'Changes with the document.',
          examples: ['q1lrm5n4cSnJRf8xPnJSBuxZ3Mv0ZfSfaXJmNIxnqXk'],
        }),
        deactivated: Type.Optional(
          Type.Boolean({
            description: 'True, with status 410, if the agent is deactivated.',
            examples: [true],
          }),
        ),
      }),
    },
    { description: 'The result of DID Resolution.' },
  ),
)

const Dereferenced = named(
  'DidUrlDereferencingResult',
  Type.Object(
    {
      content: Type.Unsafe<unknown>({
        description: 'The key, the service or its URL.',
        examples: ['https://a.example'],
      }),
      contentMetadata: Type.Object({}, { examples: [{}] }),
      dereferencingMetadata: ContentType,
    },
    { description: 'The result of DID URL dereferencing.' },
  ),
)

const Part = Type.Unsafe<object>({
  description: 'The document, or the key or the service that the DID URL names.',
  oneOf: [MultikeyDocument, MultikeyMethod, Service],
})

const contentOf = (types: readonly string[], schema: object) =>
  Object.fromEntries(types.map((type) => [type, { schema }]))
const content = {
  ...contentOf(DOCUMENT_TYPES, Part),
  ...contentOf(RESOLUTION_TYPES, ResolutionResult),
  ...contentOf([DEREFERENCING], Dereferenced),
}

export const resolveIdentifierSchema = {
  operationId: 'resolveIdentifier',
  tags: ['DID'],
  summary: 'Resolve a DID or dereference a DID URL',
  description:
    'The HTTPS binding of W3C DID Resolution. The key has the form Multikey. `Accept: application/did-resolution` adds the metadata. A DID URL with a fragment, such as `<did>%23key-1`, returns that part of the document. Clients that ask for a result get errors in the form of DID Resolution, others as in the rest of this document.',
  params: Type.Object({
    did: Type.String({
      description: '`did:sol:<owner>`, or a DID URL. Percent-encode `#` and `?`.',
      examples: [DID_EXAMPLE],
    }),
  }),
  querystring: Type.Object({
    service: Type.Optional(
      Type.String({
        description: 'Redirects to the endpoint of a service of the document.',
        examples: ['agent-card'],
      }),
    ),
  }),
  response: {
    200: {
      description: 'The document, its part, or the result.',
      headers: TABLES_AGE_HEADERS,
      content,
    },
    303: Type.Null({
      description: 'The endpoint of the service.',
      headers: { location: { type: 'string', description: 'URL of the endpoint.' } },
    }),
    410: {
      description: 'The agent of this DID is deactivated. The body is the same as for 200.',
      content,
    },
    ...errors([400, 404, 406, 501], {
      400: 'did must be did:sol: and a base-58 public key of 32 bytes, got "did:sol:x"',
      404: 'DID not found',
    }),
  },
}
