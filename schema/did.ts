import { pubkey } from '@agent-registry/solana'
import type {
  DidDocument,
  DidResolution,
  DidService,
  VerificationMethod,
} from '../src/identity/did-document.ts'
import { keyToMultibase } from '../src/identity/credentials/formats.ts'
import { ownerDid } from '../src/domain/did.ts'
import { AgentRef } from './agent.ts'
import { builder } from './builder.ts'
import { args, required } from './inputs.ts'
import { list, objectType, of, text } from './columns.ts'

export const DID_EXAMPLE = 'did:sol:DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs'
const KEY_EXAMPLE = `${DID_EXAMPLE}#key-1`
const DID = { pattern: '^did:sol:[1-9A-HJ-NP-Za-km-z]{32,44}$' }

const VerificationMethodRef = objectType<VerificationMethod>(
  'VerificationMethod',
  'The key of a DID Document.',
  {
    id: text('Identifier of the key: the DID with `#key-1`.', KEY_EXAMPLE),
    type: text('Always `Ed25519VerificationKey2020`.', 'Ed25519VerificationKey2020'),
    controller: text('The DID that controls the key.', DID_EXAMPLE, DID),
    publicKeyBase58: text('Public key of the owner, base-58.', DID_EXAMPLE.slice('did:sol:'.length)),
  },
)

builder.objectField(VerificationMethodRef, 'publicKeyMultibase', (t) =>
  t.string({
    description: 'The same key in the form of a Multikey: `z` and base-58.',
    resolve: ({ publicKeyBase58 }) => keyToMultibase(pubkey(publicKeyBase58)),
  }),
)

const DidServiceRef = objectType<DidService>('DidService', 'A service entry of a DID Document.', {
  id: text('The DID with `#agent-card` or `#registry`.', KEY_EXAMPLE),
  type: text('`A2AAgentCard` or `ServiceRegistry`.', 'Ed25519VerificationKey2020'),
  serviceEndpoint: text(
    'URL of the agent card, or `solana:<program>:<agent account>`.',
    'https://agents.example/weather-scout.json',
  ),
})

const DidDocumentRef = objectType<DidDocument>('DidDocument', 'A DID Document (W3C DID Core 1.0).', {
  context: list(text('The `@context` of the document. GraphQL names cannot contain `@`.'), {
    shown: ['https://www.w3.org/ns/did/v1'],
  }),
  id: text('The DID.', DID_EXAMPLE, DID),
  controller: text('The DID.', DID_EXAMPLE, DID),
  verificationMethod: list(of(VerificationMethodRef, 'The key of the owner.')),
  authentication: list(text('Keys that prove control of the DID.'), { shown: [KEY_EXAMPLE] }),
  assertionMethod: list(text('Keys that may sign statements.'), { shown: [KEY_EXAMPLE] }),
  service: list(
    of(DidServiceRef, 'The services. `#agent-card` is missing if the agent’s card URL is not a valid URI.'),
  ),
})

const DidResolutionRef = objectType<DidResolution>('DidResolution', 'The result of resolving a DID.', {
  did: text('The resolved DID.', DID_EXAMPLE, DID),
  agent: of(AgentRef, 'The agent of the owner.'),
  didDocument: of(DidDocumentRef, 'The DID Document.'),
})

builder.objectField(AgentRef, 'did', (t) =>
  t.string({ description: 'DID of the owner: `did:sol:<owner>`.', resolve: ({ owner }) => ownerDid(owner) }),
)

builder.queryField('did', (t) =>
  t.field({
    extensions: { readsTables: true, errors: ['INVALID_DID', 'DID_NOT_FOUND'] },
    type: DidResolutionRef,
    nullable: true,
    description: 'Resolves a DID. Only the DIDs of owners who have an agent can be resolved.',
    args: args({
      did: required(text('`did:sol:` followed by the public key of the owner.', DID_EXAMPLE, DID)),
    }),
    resolve: (_, { did }, { services }) => services.dids.resolve(did),
  }),
)
