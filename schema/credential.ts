import {
  type AttachedCredential,
  type CredentialList,
  MAX_TYPE_LENGTH,
} from '../src/identity/credentials/attached/credentials.ts'
import { MAX_CREDENTIALS } from '../src/identity/credentials/attached/credential-store.ts'
import type { Check, VerificationResult } from '../src/identity/credentials/verify/result.ts'
import { type ConnectionInput, connectionOfAll } from '../src/domain/connection.ts'
import { AgentRef, PDA_ARG } from './agent.ts'
import { CONNECTION_ARGS, connectionType } from './connection.ts'
import { builder } from './builder.ts'
import { args, inputType, limited, required } from './inputs.ts'
import { bool, int, list, nullable, objectType, of, pubkey, text, time } from './columns.ts'
import { enumType } from './enum-values.ts'
import { DID_EXAMPLE } from './did.ts'
import { nodeType } from './node.ts'
import { fieldsBelow } from './selection-size.ts'

/** All credentials of an agent are read and evaluated, whichever are selected. */
export const CREDENTIALS_WEIGHT = 2 * MAX_CREDENTIALS

const CREDENTIAL_EXAMPLE = {
  '@context': ['https://www.w3.org/ns/credentials/v2'],
  type: ['VerifiableCredential', 'SecurityAuditCredential'],
  issuer: DID_EXAMPLE,
  validFrom: '2026-11-21T00:00:00Z',
  credentialSubject: { id: 'did:sol:4QdLc3JjrXpNUiqRhgoz8oxYAeDn19b9DAKFsSLdPfBo' },
}

const CredentialState = enumType(
  'CredentialState',
  'What the status lists of an issuer say about a credential.',
  {
    valid: 'Neither revoked nor suspended.',
    revoked: 'Revoked, which is final.',
    suspended: 'Suspended. The issuer can end that.',
    unknown: 'No status list could be used within two days.',
  },
)

const CredentialRef = nodeType<AttachedCredential>(
  'Credential',
  'A W3C Verifiable Credential that is attached to an agent. Validity is evaluated at the time of the request.',
  {
    agentPda: pubkey('Address of the agent’s account.'),
    type: text(
      '`SecurityAuditCredential`, `IdentityCredential`, `CapabilityCredential`, `ComplianceCredential`, otherwise the first other type in sorted order.',
      'SecurityAuditCredential',
    ),
    issuer: text('DID of the issuer.', DID_EXAMPLE),
    credentialUrl: text('URL of the hosted credential.', 'https://auditor.example/credentials/1.json'),
    vcHash: text(
      'SHA-256 of the canonical JSON form (RFC 8785) including the proof, in hex.',
      'a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e',
    ),
    validFrom: nullable(time('Start of validity. Null if the credential does not name it.')),
    validUntil: nullable(time('End of validity. Null means no expiry.')),
    structurallyValid: bool('Whether context, type, subject and dates are valid and a proof exists.'),
    proofVerified: bool(
      'Whether the proof is valid, the issuer is trusted for this type, and the credential is neither revoked nor suspended.',
    ),
    status: nullable(
      of(CredentialState, 'What its status lists say, read once a day. Null without a `credentialStatus`.'),
    ),
    indexedAt: time('Time at which the credential was attached.'),
  },
)

const CredentialPageRef = objectType<CredentialList>(
  'CredentialPage',
  `All credentials of an agent. At most ${MAX_CREDENTIALS}.`,
  {
    pda: pubkey('Address of the agent’s account.'),
    total: int('Number of credentials in the list.', 1),
    credentials: list(of(CredentialRef, 'The credentials, newest first.')),
  },
)

const CredentialCheckName = enumType('CredentialCheckName', 'What is checked of a credential.', {
  context: 'Its contexts are known.',
  type: 'It has the types of a credential.',
  subject: 'It is about the agent.',
  temporal: 'It is valid now.',
  proof_present: 'It has a proof.',
  proof_verified: 'Its proof is valid, and its issuer is trusted for this type.',
  status: 'It is neither revoked nor suspended.',
})

const CredentialCheckRef = objectType<Check>('CredentialCheck', 'One check of a verification.', {
  check: of(CredentialCheckName, 'Name of the check.', 'context'),
  passed: bool('Whether the check passed.'),
  detail: text('Explanation of the result.', 'VC 2.0; every context is known and pinned'),
})

const VerificationRef = objectType<VerificationResult>(
  'CredentialVerification',
  'The result of a verification.',
  {
    structurallyValid: bool('Whether the first five checks passed.'),
    proofVerified: bool(
      'Whether the checks after the first five passed: the proof is valid, the issuer is trusted for this type, and the credential is neither revoked nor suspended.',
    ),
    type: text(
      'The known credential type, otherwise the first other type. Empty if there is none.',
      'SecurityAuditCredential',
    ),
    issuer: text('DID of the issuer. Empty if there is none.', DID_EXAMPLE),
    vcHash: text(
      'SHA-256 of the canonical JSON form (RFC 8785) including the proof, in hex. Empty if the JSON is invalid.',
      'a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e',
    ),
    checks: list(
      of(
        CredentialCheckRef,
        'The six checks in a fixed order. Then `status`, if the credential has a `credentialStatus`.',
      ),
    ),
    validFrom: nullable(time('Start of validity. Null if the credential has no valid date.')),
    validUntil: nullable(time('End of validity. Null if the credential has no valid date.')),
  },
)

const CredentialFilter = inputType('CredentialFilter', 'Credentials must match all conditions.', {
  type: limited(text('Only this type. The suffix `Credential` is optional and case is ignored.'), {
    minLength: 1,
    maxLength: MAX_TYPE_LENGTH,
  }),
  active: bool(
    'True: only credentials that are structurally valid now, including their dates, and neither revoked nor suspended. False: only the others.',
  ),
})

const LIST_ARGS = { filter: of(CredentialFilter, 'Default: all credentials.') }

const CredentialConnectionRef = connectionType('Credential', CredentialRef, { countUnits: () => 0 })
const pageOf = ({ credentials }: CredentialList, page: ConnectionInput) =>
  connectionOfAll('credentials', credentials, page, ({ vcHash }) => vcHash)

builder.objectField(AgentRef, 'credentials', (t) =>
  t.field({
    extensions: {
      weight: CREDENTIALS_WEIGHT,
      listSize: MAX_CREDENTIALS,
      errors: ['INVALID_CURSOR'],
    },
    type: CredentialConnectionRef,
    description: `The credentials that are attached to this agent, newest first. At most ${MAX_CREDENTIALS}.`,
    args: args({ ...LIST_ARGS, ...CONNECTION_ARGS }),
    resolve: async ({ pda, owner }, { filter, ...page }, { loaders, spend }, info) => {
      spend(MAX_CREDENTIALS * fieldsBelow(info))
      return pageOf(await loaders.credentialsByAgent(filter ?? {}).load({ pda, owner }), page)
    },
  }),
)

builder.objectField(CredentialRef, 'agent', (t) =>
  t.field({
    type: AgentRef,
    nullable: true,
    description: 'The agent. Null if it is closed.',
    resolve: ({ agentPda }, _args, { loaders }) => loaders.agentByPda.load(agentPda),
  }),
)

builder.queryFields((t) => ({
  credentials: t.field({
    extensions: {
      listSize: MAX_CREDENTIALS,
      readsTables: true,
      errors: ['AGENT_NOT_FOUND', 'INVALID_CURSOR'],
    },
    type: CredentialConnectionRef,
    nullable: true,
    description: `Lists the credentials of an agent, newest first. At most ${MAX_CREDENTIALS}.`,
    args: args({ ...PDA_ARG, ...LIST_ARGS, ...CONNECTION_ARGS }),
    resolve: async (_, { pda, filter, ...page }, { services }) =>
      pageOf(await services.credentials.list(pda, filter ?? {}), page),
  }),
  credentialsPage: t.field({
    extensions: { readsTables: true, errors: ['AGENT_NOT_FOUND'] },
    type: CredentialPageRef,
    nullable: true,
    description: 'The credentials of `credentials`, all at once.',
    args: args({ ...PDA_ARG, ...LIST_ARGS }),
    resolve: (_, { pda, filter }, { services }) => services.credentials.list(pda, filter ?? {}),
  }),
}))

const CredentialSource = inputType(
  'CredentialSource',
  'Where a credential is.',
  {
    credentialUrl: text(
      'URL of a hosted credential, with the scheme https, ipfs or ar.',
      'https://auditor.example/credentials/1.json',
    ),
    credential: of(
      'VerifiableCredential',
      'A W3C Verifiable Credential as a JSON object of at most 32 KiB. Pass it as a variable.',
      CREDENTIAL_EXAMPLE,
    ),
  },
  { isOneOf: true },
)

builder.mutationField('verifyCredential', (t) =>
  t.field({
    extensions: {
      rateLimit: 'verify',
      priority: 'high',
      login: 'wallet',
      errors: [
        'CREDENTIAL_SOURCE',
        'NOT_AGENT_OWNER',
        'AGENT_NOT_FOUND',
        'CREDENTIAL_NOT_FETCHED',
        'VERIFIER_BUSY',
      ],
    },
    type: VerificationRef,
    description:
      'Verifies a credential of an agent. The signing wallet must own the agent. A hosted credential that is structurally valid is attached to the agent.',
    args: args({ ...PDA_ARG, source: required(of(CredentialSource, 'The credential.')) }),
    resolve: async (_, { pda, source }, { services, authenticate }) =>
      services.credentials.verify(await authenticate(), pda, source),
  }),
)
