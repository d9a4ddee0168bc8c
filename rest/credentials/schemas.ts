import { Type } from 'typebox'
import { CHECK_NAMES, STATUS_CHECK } from '../../src/identity/credentials/verify/result.ts'
import { TABLES_AGE_HEADERS } from '../plugins/tables-age.ts'
import {
  Body,
  Choice,
  errors,
  named,
  OneOf,
  orNull,
  Pubkey,
  Timestamp,
  walletSecurity,
} from '../contract/shapes.ts'

const ISSUER = 'did:sol:DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs'
const HASH = 'a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e'
const URL_EXAMPLE = 'https://auditor.example/credentials/1.json'
const CREDENTIAL_EXAMPLE = {
  '@context': ['https://www.w3.org/ns/credentials/v2'],
  type: ['VerifiableCredential', 'SecurityAuditCredential'],
  issuer: ISSUER,
  validFrom: '2026-11-21T00:00:00Z',
  credentialSubject: { id: 'did:sol:4QdLc3JjrXpNUiqRhgoz8oxYAeDn19b9DAKFsSLdPfBo' },
}

const NullableTime = (description: string) => orNull(description, '2027-11-21T00:00:00.000Z', 'date-time')

const CredentialType = Type.String({
  description:
    '`SecurityAuditCredential`, `IdentityCredential`, `CapabilityCredential`, `ComplianceCredential` or another type.',
  examples: ['SecurityAuditCredential'],
})
const Issuer = Type.String({ description: 'DID of the issuer.', examples: [ISSUER] })
const VcHash = Type.String({
  description: 'SHA-256 of the canonical JSON form (RFC 8785) including the proof, in hex.',
  examples: [HASH],
})

const Credential = named(
  'Credential',
  Type.Object(
    {
      type: CredentialType,
      issuer: Issuer,
      credential_url: Type.String({ examples: [URL_EXAMPLE] }),
      vc_hash: VcHash,
      valid_from: NullableTime('Start of validity. Null if the credential does not name it.'),
      valid_until: NullableTime('End of validity. Null means no expiry.'),
      structurally_valid: Type.Boolean({
        description: 'Whether context, type, subject and dates are valid and a proof exists.',
      }),
      proof_verified: Type.Boolean({
        description:
          'Whether the proof is valid, the issuer is currently trusted for this type, and the credential is neither revoked nor suspended.',
      }),
      indexed_at: Timestamp('Time at which the credential was attached.'),
    },
    { description: 'A credential that is attached to an agent.' },
  ),
)

const Verification = named(
  'CredentialVerification',
  Type.Object(
    {
      structurallyValid: Type.Boolean({ description: 'Whether the first five checks passed.' }),
      proofVerified: Type.Boolean({
        description:
          'Whether the proof is valid, the issuer is trusted for this type, and the credential is neither revoked nor suspended.',
      }),
      type: CredentialType,
      issuer: Issuer,
      vcHash: VcHash,
      checks: Type.Array(
        named(
          'CredentialCheck',
          Type.Object({
            check: Choice<string>([...CHECK_NAMES, STATUS_CHECK]),
            passed: Type.Boolean(),
            detail: Type.String({ examples: ['VC 2.0; every context is known and pinned'] }),
          }),
        ),
      ),
    },
    { description: 'The result of the verification.' },
  ),
)

const HostedCredential = named(
  'HostedCredential',
  Body({
    credentialUrl: Type.String({
      description: 'URL of a hosted credential, with the scheme https, ipfs or ar.',
      examples: [URL_EXAMPLE],
    }),
  }),
)

/** The service checks the credential, so it can be any JSON here. */
const InlineCredential = named(
  'InlineCredential',
  Body({
    credential: Type.Unsafe<unknown>({
      description: 'A W3C Verifiable Credential as a JSON object. At most 32 KiB.',
      examples: [CREDENTIAL_EXAMPLE],
    }),
  }),
)

const params = Type.Object({ pda: Pubkey('Address of the agent’s account.') })

export const listCredentialsSchema = {
  operationId: 'listCredentials',
  tags: ['Credentials'],
  summary: 'List an agent’s credentials',
  description:
    'Newest first. A credential is attached when the owner verifies a hosted credential or when the agent card lists it. Validity and trust are evaluated at the time of the request, status lists are read once a day.',
  params,
  querystring: Type.Object({
    type: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'Only this type. The suffix `Credential` is optional and case is ignored.',
      }),
    ),
    active: Type.Optional(
      Type.Boolean({
        description:
          '`true`: only credentials that are structurally valid now, including their dates, and neither revoked nor suspended. `false`: only the others.',
      }),
    ),
  }),
  response: {
    200: {
      ...named(
        'CredentialList',
        Type.Object(
          {
            pda: Pubkey('Address of the agent’s account.'),
            total: Type.Integer({ examples: [1] }),
            credentials: Type.Array(Credential),
          },
          { description: 'The credentials of the agent.' },
        ),
      ),
      headers: TABLES_AGE_HEADERS,
    },
    ...errors([400, 404], { 404: 'Agent not found' }),
  },
}

export const verifyCredentialSchema = {
  operationId: 'verifyCredential',
  tags: ['Credentials'],
  ...walletSecurity,
  summary: 'Verify a credential',
  description:
    'The wallet must own the agent. The response lists every check: the six, and `status` if the credential has a `credentialStatus`. A hosted credential that is structurally valid is attached to the agent.',
  params,
  querystring: Type.Object({}),
  body: OneOf([HostedCredential, InlineCredential], { description: 'Exactly one of the two members.' }),
  response: {
    200: Verification,
    ...errors([400, 401, 403, 404, 413, 415, 422], {
      400: 'Provide exactly one of credentialUrl or credential',
      403: 'Wallet does not own this agent',
      404: 'Agent not found',
      422: 'Credential could not be fetched',
    }),
  },
}
