import { type TSchema, Type } from 'typebox'
import { TIERS } from '@agent-registry/program'
import { Choice, conditionalRequest, errors, cacheableResponses, named, Pubkey } from '../contract/shapes.ts'
import { DID_MEDIA_TYPES } from './media-type.ts'

export const DID_EXAMPLE = 'did:sol:DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs'

const Did = (description: string) =>
  Type.String({ description, pattern: '^did:sol:[1-9A-HJ-NP-Za-km-z]{32,44}$', examples: [DID_EXAMPLE] })
const KeyIds = (description: string) =>
  Type.Array(Type.String({ examples: [`${DID_EXAMPLE}#key-1`] }), { description })

const method = { id: Type.String({ examples: [`${DID_EXAMPLE}#key-1`] }), controller: Did('The DID.') }
const VerificationMethod = named(
  'VerificationMethod',
  Type.Object(
    {
      id: method.id,
      type: Type.String({ examples: ['Ed25519VerificationKey2020'] }),
      controller: method.controller,
      publicKeyBase58: Pubkey('Public key of the owner.'),
    },
    { description: 'The key of the owner.' },
  ),
)
export const MultikeyMethod = named(
  'MultikeyVerificationMethod',
  Type.Object(
    {
      id: method.id,
      type: Type.String({ examples: ['Multikey'] }),
      controller: method.controller,
      publicKeyMultibase: Type.String({
        description: 'Public key of the owner: `z` and base-58 of 0xed 0x01 and the key.',
        examples: ['z6MkqDuukCnKJMtTMdX3UtQ6t9gdMLDy3wNUrfpDbJTZRGz4'],
      }),
    },
    { description: 'The key of the owner, in the form that stock verifiers read.' },
  ),
)

export const Service = named(
  'DidService',
  Type.Object(
    {
      id: Type.String({ examples: [`${DID_EXAMPLE}#registry`] }),
      type: Type.String({
        description: '`A2AAgentCard` or `ServiceRegistry`.',
        examples: ['ServiceRegistry'],
      }),
      serviceEndpoint: Type.String({
        description: 'URL of the agent card, or `solana:<program>:<agent account>`.',
        examples: ['https://agents.example/weather-scout.json'],
      }),
    },
    { description: 'A service of the agent.' },
  ),
)

const documentWith = <Method extends TSchema>(verificationMethod: Method) => ({
  '@context': Type.Array(Type.String({ examples: ['https://www.w3.org/ns/did/v1'] })),
  id: Did('The DID.'),
  controller: Did('The DID.'),
  verificationMethod: Type.Array(verificationMethod),
  authentication: KeyIds('Keys that prove control of the DID.'),
  assertionMethod: KeyIds('Keys that may sign statements.'),
  service: Type.Array(Service, {
    description: 'The services. `#agent-card` is missing if the agent’s card URL is not a valid URI.',
  }),
})

const DidDocument = named(
  'DidDocument',
  Type.Object(documentWith(VerificationMethod), { description: 'A DID Document (W3C DID Core 1.0).' }),
)
export const MultikeyDocument = named(
  'MultikeyDidDocument',
  Type.Object(documentWith(MultikeyMethod), {
    description: 'A DID Document whose key has the form Multikey.',
  }),
)

const Resolution = named(
  'DidResolution',
  Type.Object(
    {
      did: Did('The DID.'),
      agent: Type.Object({
        pda: Pubkey('Address of the agent’s account.'),
        name: Type.String({ examples: ['Weather Scout'] }),
        tier: Choice(TIERS, { examples: ['standard'] }),
        reputation_score: Type.Integer({ minimum: 0, maximum: 1000, examples: [250] }),
      }),
      didDocument: DidDocument,
    },
    { description: 'The agent and the DID Document.' },
  ),
)

const params = Type.Object({ did: Did('`did:sol:<owner>`. Colons can be percent-encoded.') })
const examples = {
  400: 'did must be did:sol: and a base-58 public key of 32 bytes, got "did:web:example.org"',
  404: 'DID not found',
}

export const resolveDidSchema = {
  operationId: 'resolveDid',
  tags: ['DID'],
  summary: 'Resolve a DID',
  description: 'Only the DIDs of owners who have an agent can be resolved.',
  params,
  querystring: Type.Object({}),
  ...conditionalRequest,
  response: { ...cacheableResponses(Resolution), ...errors([400, 404], examples) },
}

export const getDidDocumentSchema = {
  operationId: 'getDidDocument',
  tags: ['DID'],
  summary: 'Read a DID Document',
  description:
    'The media type is `application/did+ld+json`. If the Accept header prefers `application/did`, the document has that type and its key the form Multikey, which stock verifiers read.',
  params,
  querystring: Type.Object({}),
  ...conditionalRequest,
  response: {
    ...cacheableResponses({
      description: 'The DID Document.',
      content: {
        [DID_MEDIA_TYPES[0]]: { schema: DidDocument },
        [DID_MEDIA_TYPES[1]]: { schema: MultikeyDocument },
      },
    }),
    ...errors([400, 404], examples),
  },
}
