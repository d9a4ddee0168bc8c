import { pubkey } from '@agent-registry/solana'
import type { DidDocument, DidService, VerificationMethod } from '../src/identity/did/document.ts'
import { keyToMultibase } from '../src/identity/credentials/multibase.ts'
import { ownerDid } from '../src/domain/did.ts'
import type { DidResolution } from '../src/identity/did/resolve-did.ts'
import { AgentRef } from './agent.ts'
import { example } from './policy.ts'
import { builder } from './builder.ts'

export const DID_EXAMPLE = 'did:sol:DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs'
const DID = { pattern: '^did:sol:[1-9A-HJ-NP-Za-km-z]{32,44}$' }

const VerificationMethodRef = builder.objectRef<VerificationMethod>('VerificationMethod').implement({
  description: 'The key of a DID Document.',
  fields: (t) => ({
    id: t.exposeString('id', {
      ...example(`${DID_EXAMPLE}#key-1`),
      description: 'Identifier of the key: the DID with `#key-1`.',
    }),
    type: t.exposeString('type', {
      ...example('Ed25519VerificationKey2020'),
      description: 'Always `Ed25519VerificationKey2020`.',
    }),
    controller: t.exposeString('controller', {
      ...example(DID_EXAMPLE, DID),
      description: 'The DID that controls the key.',
    }),
    publicKeyBase58: t.exposeString('publicKeyBase58', {
      ...example(DID_EXAMPLE.slice('did:sol:'.length)),
      description: 'Public key of the owner, base-58.',
    }),
    publicKeyMultibase: t.string({
      description: 'The same key in the form of a Multikey: `z` and base-58.',
      resolve: ({ publicKeyBase58 }) => keyToMultibase(pubkey(publicKeyBase58)),
    }),
  }),
})

const DidServiceRef = builder.objectRef<DidService>('DidService').implement({
  description: 'A service entry of a DID Document.',
  fields: (t) => ({
    id: t.exposeString('id', {
      ...example(`${DID_EXAMPLE}#key-1`),
      description: 'The DID with `#agent-card` or `#registry`.',
    }),
    type: t.exposeString('type', {
      ...example('Ed25519VerificationKey2020'),
      description: '`A2AAgentCard` or `ServiceRegistry`.',
    }),
    serviceEndpoint: t.exposeString('serviceEndpoint', {
      ...example('https://agents.example/weather-scout.json'),
      description: 'URL of the agent card, or `solana:<program>:<agent account>`.',
    }),
  }),
})

const DidDocumentRef = builder.objectRef<DidDocument>('DidDocument').implement({
  description: 'A DID Document (W3C DID Core 1.0).',
  fields: (t) => ({
    context: t.field({
      ...example(['https://www.w3.org/ns/did/v1']),
      type: ['String'],
      description: 'The `@context` of the document. GraphQL names cannot contain `@`.',
      resolve: ({ context }) => [...context],
    }),
    id: t.exposeString('id', { ...example(DID_EXAMPLE, DID), description: 'The DID.' }),
    controller: t.exposeString('controller', { ...example(DID_EXAMPLE, DID), description: 'The DID.' }),
    verificationMethod: t.field({
      description: 'The key of the owner.',
      type: [VerificationMethodRef],
      resolve: ({ verificationMethod }) => [...verificationMethod],
    }),
    authentication: t.field({
      ...example([`${DID_EXAMPLE}#key-1`]),
      description: 'Keys that prove control of the DID.',
      type: ['String'],
      resolve: ({ authentication }) => [...authentication],
    }),
    assertionMethod: t.field({
      ...example([`${DID_EXAMPLE}#key-1`]),
      description: 'Keys that may sign statements.',
      type: ['String'],
      resolve: ({ assertionMethod }) => [...assertionMethod],
    }),
    service: t.field({
      type: [DidServiceRef],
      description: 'The services. `#agent-card` is missing if the agent’s card URL is not a valid URI.',
      resolve: ({ service }) => [...service],
    }),
  }),
})

const DidResolutionRef = builder.objectRef<DidResolution>('DidResolution').implement({
  description: 'The result of resolving a DID.',
  fields: (t) => ({
    did: t.exposeString('did', { ...example(DID_EXAMPLE, DID), description: 'The resolved DID.' }),
    agent: t.expose('agent', { description: 'The agent of the owner.', type: AgentRef }),
    didDocument: t.expose('didDocument', { description: 'The DID Document.', type: DidDocumentRef }),
  }),
})

builder.objectField(AgentRef, 'did', (t) =>
  t.string({ description: 'DID of the owner: `did:sol:<owner>`.', resolve: ({ owner }) => ownerDid(owner) }),
)

builder.queryField('did', (t) =>
  t.field({
    extensions: { tables: ['agents'], errors: ['INVALID_DID', 'DID_NOT_FOUND'] },
    type: DidResolutionRef,
    nullable: true,
    description: 'Resolves a DID. Only the DIDs of owners who have an agent can be resolved.',
    args: {
      did: t.arg.string({
        ...example(DID_EXAMPLE, DID),
        description: '`did:sol:` followed by the public key of the owner.',
        required: true,
      }),
    },
    resolve: (_, { did }, { services }) => services.dids.resolve(did),
  }),
)
