import type { DidDocument, DidService, VerificationMethod } from '../src/identity/did/document.ts'
import { ownerDid } from '../src/domain/did.ts'
import type { DidResolution } from '../src/identity/did/resolve-did.ts'
import { AgentRef } from './agent.ts'
import { builder } from './builder.ts'

const VerificationMethodRef = builder.objectRef<VerificationMethod>('VerificationMethod').implement({
  description: 'The key of a DID document.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The DID with `#key-1`.' }),
    type: t.exposeString('type', { description: 'Ed25519VerificationKey2020.' }),
    controller: t.exposeString('controller', { description: 'The DID.' }),
    publicKeyBase58: t.exposeString('publicKeyBase58', { description: 'The owner’s key.' }),
  }),
})

const DidServiceRef = builder.objectRef<DidService>('DidService').implement({
  description: 'A service entry of a DID document.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The DID with `#agent-card` or `#registry`.' }),
    type: t.exposeString('type', { description: 'A2AAgentCard or ServiceRegistry.' }),
    serviceEndpoint: t.exposeString('serviceEndpoint', {
      description: 'The agent card’s URL, or `solana:<program>:<agent account>`.',
    }),
  }),
})

const DidDocumentRef = builder.objectRef<DidDocument>('DidDocument').implement({
  description: 'A DID Document by W3C DID Core 1.0.',
  fields: (t) => ({
    context: t.field({
      type: ['String'],
      description: '`@context` in JSON, a name that GraphQL does not allow.',
      resolve: ({ context }) => [...context],
    }),
    id: t.exposeString('id', { description: 'The DID.' }),
    controller: t.exposeString('controller', { description: 'The DID itself.' }),
    verificationMethod: t.field({
      description: 'The key of the owner.',
      type: [VerificationMethodRef],
      resolve: ({ verificationMethod }) => [...verificationMethod],
    }),
    authentication: t.field({
      description: 'The DID with `#key-1`.',
      type: ['String'],
      resolve: ({ authentication }) => [...authentication],
    }),
    assertionMethod: t.field({
      description: 'The DID with `#key-1`.',
      type: ['String'],
      resolve: ({ assertionMethod }) => [...assertionMethod],
    }),
    service: t.field({
      type: [DidServiceRef],
      description: 'Without `#agent-card` where the agent’s card URL is no URI.',
      resolve: ({ service }) => [...service],
    }),
  }),
})

const DidResolutionRef = builder.objectRef<DidResolution>('DidResolution').implement({
  description: 'Whose DID it is, and its document.',
  fields: (t) => ({
    did: t.exposeString('did', { description: 'What was resolved.' }),
    agent: t.expose('agent', { description: 'The agent of the owner.', type: AgentRef }),
    didDocument: t.expose('didDocument', { description: 'W3C DID Core document.', type: DidDocumentRef }),
  }),
})

builder.objectField(AgentRef, 'did', (t) =>
  t.string({ description: '`did:sol:<owner>`.', resolve: ({ owner }) => ownerDid(owner) }),
)

builder.queryField('did', (t) =>
  t.field({
    type: DidResolutionRef,
    description:
      'Resolves a DID. Errors INVALID_DID for anything but `did:sol:` and a base-58 key of 32 bytes, DID_NOT_FOUND for an owner without agent.',
    args: { did: t.arg.string({ description: 'did:sol: and the public key of the owner.', required: true }) },
    resolve: (_, { did }, { services }) => services.dids.resolve(did),
  }),
)
