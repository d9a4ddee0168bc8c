import type {
  AttachedCredential,
  CredentialList,
} from '../src/identity/credentials/attached/credential-list.ts'
import { MAX_CREDENTIALS } from '../src/identity/credentials/attached/credential-store.ts'
import type { Check, VerificationResult } from '../src/identity/credentials/verify/result.ts'
import { AgentRef } from './agent.ts'
import { builder } from './builder.ts'
import { fieldsBelow } from './selection-size.ts'

const CredentialRef = builder.objectRef<AttachedCredential>('Credential').implement({
  description:
    'A W3C Verifiable Credential that is attached to an agent. What is valid is told for this moment.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'The known kind, else the first other type in order.' }),
    issuer: t.exposeString('issuer', { description: 'DID.' }),
    credentialUrl: t.exposeString('credentialUrl', { description: 'Where it is hosted.' }),
    vcHash: t.exposeString('vcHash', {
      description: 'Hex SHA-256 of the JCS form (RFC 8785), proof included.',
    }),
    validFrom: t.expose('validFrom', {
      description: 'From when on it holds.',
      type: 'DateTime',
      nullable: true,
    }),
    validUntil: t.expose('validUntil', { type: 'DateTime', nullable: true, description: 'Null: no expiry.' }),
    structurallyValid: t.exposeBoolean('structurallyValid', {
      description: 'Context, type, subject, dates and the presence of a proof are right.',
    }),
    proofVerified: t.exposeBoolean('proofVerified', {
      description: 'Signed by an issuer that is trusted with this type.',
    }),
    indexedAt: t.expose('indexedAt', { type: 'DateTime', description: 'When it was attached.' }),
  }),
})

const CredentialListRef = builder.objectRef<CredentialList>('CredentialList').implement({
  description: `The credentials of an agent, at most ${MAX_CREDENTIALS}, newest first.`,
  fields: (t) => ({
    pda: t.expose('pda', { description: 'The agent that they are attached to.', type: 'Pubkey' }),
    total: t.exposeInt('total', { description: 'How many there are.' }),
    credentials: t.field({
      description: 'Newest first.',
      type: [CredentialRef],
      resolve: ({ credentials }) => [...credentials],
    }),
  }),
})

const CredentialCheckRef = builder.objectRef<Check>('CredentialCheck').implement({
  description: 'One check of a verification.',
  fields: (t) => ({
    check: t.exposeString('check', {
      description: 'context, type, subject, temporal, proof_present or proof_verified.',
    }),
    passed: t.exposeBoolean('passed', { description: 'Whether it held.' }),
    detail: t.exposeString('detail', { description: 'Why, for people.' }),
  }),
})

const VerificationRef = builder.objectRef<VerificationResult>('CredentialVerification').implement({
  description: 'What became of each check of a credential.',
  fields: (t) => ({
    structurallyValid: t.exposeBoolean('structurallyValid', { description: 'The first five checks pass.' }),
    proofVerified: t.exposeBoolean('proofVerified', {
      description: 'The last check passes: signed by an issuer that is trusted with this type.',
    }),
    type: t.exposeString('type', { description: 'Empty where there is none.' }),
    issuer: t.exposeString('issuer', { description: 'DID; empty where there is none.' }),
    vcHash: t.exposeString('vcHash', { description: 'Empty where the text cannot be read.' }),
    checks: t.field({
      description: 'All six, in a fixed order.',
      type: [CredentialCheckRef],
      resolve: ({ checks }) => [...checks],
    }),
    validFrom: t.expose('validFrom', {
      description: 'From when on it holds; null where it does not say.',
      type: 'DateTime',
      nullable: true,
    }),
    validUntil: t.expose('validUntil', {
      description: 'Until when it holds; null without end.',
      type: 'DateTime',
      nullable: true,
    }),
  }),
})

const filterArgs = () =>
  builder.args((t) => ({
    type: t.string({ description: 'A type, or a kind without `Credential`, in any case.' }),
    active: t.boolean({ description: 'Structurally valid, and so within its dates now, or not.' }),
  }))

builder.objectField(AgentRef, 'credentials', (t) =>
  t.field({
    type: CredentialListRef,
    description: 'The verifiable credentials that are attached to this agent.',
    args: filterArgs(),
    resolve: async ({ pda, owner }, args, { loaders, spend }, info) => {
      spend(MAX_CREDENTIALS * fieldsBelow(info))
      return loaders.credentialsByAgent(args).load({ pda, owner })
    },
  }),
)

builder.queryField('credentials', (t) =>
  t.field({
    type: CredentialListRef,
    description:
      'The credentials of an agent. Error AGENT_NOT_FOUND where there is none, or where it was closed.',
    args: {
      pda: t.arg({ type: 'Pubkey', required: true, description: 'Address of the agent’s account.' }),
      ...filterArgs(),
    },
    resolve: (_, { pda, ...filter }, { services }) => services.credentials.list(pda, filter),
  }),
)

builder.mutationField('verifyCredential', (t) =>
  t.field({
    extensions: { rateLimit: 'verify', priority: 'high' },
    type: VerificationRef,
    description:
      'Verifies a credential of the agent that the signing wallet owns; a hosted one that is structurally valid is attached. Errors as of POST /agents/:pda/credentials/verify.',
    args: {
      pda: t.arg({ type: 'Pubkey', required: true, description: 'Address of the agent’s account.' }),
      credentialUrl: t.arg.string({ description: 'Of a hosted credential.' }),
      credential: t.arg({ type: 'JSON', description: 'The credential itself; as a variable.' }),
    },
    resolve: async (_, { pda, ...submission }, { services, authenticate }) =>
      services.credentials.verify(await authenticate(), pda, submission),
  }),
)
