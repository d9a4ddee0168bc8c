import type { DidDocument, DidService, VerificationMethod } from '../src/identity/did/document.ts'
import { pubkey } from '@agent-registry/solana'
import { keyToMultibase } from '../src/identity/credentials/multibase.ts'
import { ownerDid } from '../src/domain/did.ts'
import type { DidResolution } from '../src/identity/did/resolve-did.ts'
import { AgentRef } from './agent.ts'
import { builder } from './builder.ts'

const VerificationMethodRef = builder.objectRef<VerificationMethod>('VerificationMethod').implement({
  description: 'The key of a DID Document.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier of the key: the DID with `#key-1`.' }),
    type: t.exposeString('type', { description: 'Always `Ed25519VerificationKey2020`.' }),
    controller: t.exposeString('controller', { description: 'The DID that controls the key.' }),
    publicKeyBase58: t.exposeString('publicKeyBase58', { description: 'Public key of the owner, base-58.' }),
    publicKeyMultibase: t.string({
      description: 'The same key in the form of a Multikey: `z` and base-58.',
      resolve: ({ publicKeyBase58 }) => keyToMultibase(pubkey(publicKeyBase58)),
    }),
  }),
})

const DidServiceRef = builder.objectRef<DidService>('DidService').implement({
  description: 'A service entry of a DID Document.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The DID with `#agent-card` or `#registry`.' }),
    type: t.exposeString('type', { description: '`A2AAgentCard` or `ServiceRegistry`.' }),
    serviceEndpoint: t.exposeString('serviceEndpoint', {
      description: 'URL of the agent card, or `solana:<program>:<agent account>`.',
    }),
  }),
})

const DidDocumentRef = builder.objectRef<DidDocument>('DidDocument').implement({
  description: 'A DID Document (W3C DID Core 1.0).',
  fields: (t) => ({
    context: t.field({
      type: ['String'],
      description: 'The `@context` of the document. GraphQL names cannot contain `@`.',
      resolve: ({ context }) => [...context],
    }),
    id: t.exposeString('id', { description: 'The DID.' }),
    controller: t.exposeString('controller', { description: 'The DID.' }),
    verificationMethod: t.field({
      description: 'The key of the owner.',
      type: [VerificationMethodRef],
      resolve: ({ verificationMethod }) => [...verificationMethod],
    }),
    authentication: t.field({
      description: 'Keys that prove control of the DID.',
      type: ['String'],
      resolve: ({ authentication }) => [...authentication],
    }),
    assertionMethod: t.field({
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
    did: t.exposeString('did', { description: 'The resolved DID.' }),
    agent: t.expose('agent', { description: 'The agent of the owner.', type: AgentRef }),
    didDocument: t.expose('didDocument', { description: 'The DID Document.', type: DidDocumentRef }),
  }),
})

builder.objectField(AgentRef, 'did', (t) =>
  t.string({ description: 'DID of the owner: `did:sol:<owner>`.', resolve: ({ owner }) => ownerDid(owner) }),
)

builder.queryField('did', (t) =>
  t.field({
    type: DidResolutionRef,
    nullable: true,
    description:
      'Resolves a DID. Errors: INVALID_DID if it is not `did:sol:` with a base-58 key of 32 bytes, DID_NOT_FOUND if the owner has no agent.',
    args: {
      did: t.arg.string({
        description: '`did:sol:` followed by the public key of the owner.',
        required: true,
      }),
    },
    resolve: (_, { did }, { services }) => services.dids.resolve(did),
  }),
)
