import { Type } from 'typebox'
import { CHECK_NAMES } from '../../src/identity/credentials/verify/result.ts'
import { errors, Pubkey, Timestamp } from '../contract/shapes.ts'

const ISSUER = 'did:sol:DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs'
const HASH = 'a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e'
const URL_EXAMPLE = 'https://auditor.example/credentials/1.json'

const NullableTime = (description: string) =>
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'date-time',
    description,
    examples: ['2027-11-21T00:00:00.000Z'],
  })

const CredentialType = Type.String({
  description:
    'SecurityAuditCredential, IdentityCredential, CapabilityCredential, ComplianceCredential or another type.',
  examples: ['SecurityAuditCredential'],
})
const Issuer = Type.String({ description: 'DID of the issuer.', examples: [ISSUER] })
const VcHash = Type.String({
  description: 'Hex SHA-256 of the JCS form (RFC 8785), proof included.',
  examples: [HASH],
})

const Credential = Type.Object({
  type: CredentialType,
  issuer: Issuer,
  credential_url: Type.String({ examples: [URL_EXAMPLE] }),
  vc_hash: VcHash,
  valid_from: NullableTime('Null where the credential says none.'),
  valid_until: NullableTime('Null means no expiry.'),
  structurally_valid: Type.Boolean({
    description: 'Context, type, subject, dates and the presence of a proof are right.',
  }),
  proof_verified: Type.Boolean({ description: 'Signed by an issuer that is trusted with this type now.' }),
  indexed_at: Timestamp('When it was attached.'),
})

const Verification = Type.Object({
  structurallyValid: Type.Boolean({ description: 'The first five checks pass.' }),
  proofVerified: Type.Boolean(),
  type: CredentialType,
  issuer: Issuer,
  vcHash: VcHash,
  checks: Type.Array(
    Type.Object({
      check: Type.String({ description: CHECK_NAMES.join(', '), examples: ['context'] }),
      passed: Type.Boolean(),
      detail: Type.String({ examples: ['VC 2.0; every context is known and pinned'] }),
    }),
  ),
})

const params = Type.Object({ pda: Pubkey('Address of the agent’s account.') })

export const listCredentialsSchema = {
  operationId: 'listCredentials',
  tags: ['Credentials'],
  summary: 'List an agent’s credentials',
  description:
    'Newest first. Credentials are attached when the owner verifies a hosted one, and when the agent’s card lists them. Time and trust are looked at when the list is read.',
  params,
  querystring: Type.Object({
    type: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'A type, or a kind without `Credential`, in any case.',
      }),
    ),
    active: Type.Optional(
      Type.Boolean({
        description: 'true: structurally valid, and so within its dates now; false: the rest.',
      }),
    ),
  }),
  response: {
    200: Type.Object({
      pda: Pubkey('Address of the agent’s account.'),
      total: Type.Integer({ examples: [1] }),
      credentials: Type.Array(Credential),
    }),
    ...errors([400, 404], { 404: 'Agent not found' }),
  },
}

export const verifyCredentialSchema = {
  operationId: 'verifyCredential',
  tags: ['Credentials'],
  summary: 'Verify a credential',
  description:
    'For the wallet that owns the agent. Every check is reported. A hosted credential that is structurally valid is attached to the agent.',
  params,
  querystring: Type.Object({}),
  body: Type.Object({
    credentialUrl: Type.Optional(
      Type.String({ description: 'URL of a hosted credential: https, ipfs or ar.', examples: [URL_EXAMPLE] }),
    ),
    credential: Type.Optional(
      Type.Unsafe<unknown>({ description: 'A W3C Verifiable Credential (an object), at most 32 KiB.' }),
    ),
  }),
  response: {
    200: Verification,
    ...errors([400, 401, 403, 404, 413, 422], {
      400: 'Provide exactly one of credentialUrl or credential',
      403: 'Wallet does not own this agent',
      404: 'Agent not found',
      422: 'Credential could not be fetched',
    }),
  },
}
