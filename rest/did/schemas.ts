import { Type } from 'typebox'
import { TIERS } from '@agent-registry/program'
import { Choice, conditionalRequest, errors, cacheableResponses, named, Pubkey } from '../contract/shapes.ts'
import { DID_MEDIA_TYPES } from './media-type.ts'

const EXAMPLE = 'did:sol:DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs'

const Did = (description: string) =>
  Type.String({ description, pattern: '^did:sol:[1-9A-HJ-NP-Za-km-z]{32,44}$', examples: [EXAMPLE] })
const KeyIds = (description: string) =>
  Type.Array(Type.String({ examples: [`${EXAMPLE}#key-1`] }), { description })

const DidDocument = named(
  'DidDocument',
  Type.Object(
    {
      '@context': Type.Array(Type.String({ examples: ['https://www.w3.org/ns/did/v1'] })),
      id: Did('The DID.'),
      controller: Did('The DID.'),
      verificationMethod: Type.Array(
        Type.Object({
          id: Type.String({ examples: [`${EXAMPLE}#key-1`] }),
          type: Type.String({ examples: ['Ed25519VerificationKey2020'] }),
          controller: Did('The DID.'),
          publicKeyBase58: Pubkey('Public key of the owner.'),
        }),
      ),
      authentication: KeyIds('Keys that prove control of the DID.'),
      assertionMethod: KeyIds('Keys that may sign statements.'),
      service: Type.Array(
        Type.Object({
          id: Type.String({ examples: [`${EXAMPLE}#registry`] }),
          type: Type.String({
            description: '`A2AAgentCard` or `ServiceRegistry`.',
            examples: ['ServiceRegistry'],
          }),
          serviceEndpoint: Type.String({
            description: 'URL of the agent card, or `solana:<program>:<agent account>`.',
            examples: ['https://agents.example/weather-scout.json'],
          }),
        }),
        { description: 'The services. `#agent-card` is missing if the agent’s card URL is not a valid URI.' },
      ),
    },
    { description: 'A DID Document (W3C DID Core 1.0).' },
  ),
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
    'The media type is `application/did+ld+json`, or `application/did` if the Accept header prefers it.',
  params,
  querystring: Type.Object({}),
  ...conditionalRequest,
  response: {
    ...cacheableResponses({
      description: 'The DID Document.',
      content: Object.fromEntries(DID_MEDIA_TYPES.map((type) => [type, { schema: DidDocument }])),
    }),
    ...errors([400, 404], examples),
  },
}
