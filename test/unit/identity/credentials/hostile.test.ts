import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  AGENT_CREDENTIALS_V1,
  CREDENTIALS_V1,
  CREDENTIALS_V2,
  DATA_INTEGRITY_V2,
  ED25519_SIGNATURE_2020_V1,
} from '../../../../src/identity/credentials/contexts/pinned.ts'
import type { CheckName } from '../../../../src/identity/credentials/verify/result.ts'
import { createTestIssuer, type Json, loaderOf, unsigned } from '../../../support/identity/issuer.ts'
import { verifiedByDigitalBazaar } from '../../../support/identity/oracle.ts'
import { expectFailures, verifierTrusting } from '../../../support/identity/verifying.ts'

const issuer = createTestIssuer('auditor')
const stranger = createTestIssuer('stranger')
const { verify, close } = verifierTrusting(issuer)
const loader = loaderOf(issuer.documents, stranger.documents)
const VOCABULARY = 'https://agent-registry.example/vocab#'
let v1: Json, v2: Json, rdfc: Json, jcs: Json, capability: Json

beforeAll(async () => {
  const { did } = issuer
  v1 = await issuer.sign(unsigned('1.1', 'Ed25519Signature2020', did), 'Ed25519Signature2020')
  v2 = await issuer.sign(unsigned('2.0', 'Ed25519Signature2020', did), 'Ed25519Signature2020')
  rdfc = await issuer.sign(unsigned('2.0', 'eddsa-rdfc-2022', did), 'eddsa-rdfc-2022')
  jcs = await issuer.sign(unsigned('2.0', 'eddsa-jcs-2022', did), 'eddsa-jcs-2022')
  const plain = unsigned('2.0', 'Ed25519Signature2020', did, 'CapabilityCredential')
  capability = await issuer.sign(
    { ...plain, credentialSubject: { id: plain.credentialSubject.id, skill: ['x'] } },
    'Ed25519Signature2020',
  )
})
afterAll(close)

/** Changes a signed credential like an attacker would. */
type Attack = (copies: { v1: Json; v2: Json; rdfc: Json; jcs: Json; capability: Json }) => Json
/** `fooled`: the Digital Bazaar stack accepts the result, which proves that the attack is real. */
type Case = [name: string, attack: Attack, failing: CheckName[], detail: RegExp, fooled?: 'fooled']

const CONTEXT: CheckName[] = ['context', 'proof_verified']
const PROOF: CheckName[] = ['proof_verified']
const withContext = (credential: Json, ...more: Json[]): Json => ({
  ...credential,
  '@context': [...credential['@context'], ...more],
})
const without = (credential: Json, member: string): Json =>
  Object.fromEntries(Object.entries(credential).filter(([name]) => name !== member))
const inSubject = (credential: Json, members: Json): Json => ({
  ...credential,
  credentialSubject: { ...credential.credentialSubject, ...members },
})
const inProof = (credential: Json, members: Json): Json => ({
  ...credential,
  proof: { ...credential.proof, ...members },
})

const contextCases: Case[] = [
  [
    'an unknown context',
    ({ v2 }) => withContext(v2, 'https://evil.example/v1'),
    CONTEXT,
    /not a known context/,
  ],
  [
    'a context on the internal network',
    ({ v2 }) => withContext(v2, 'http://169.254.169.254/latest'),
    CONTEXT,
    /not a known context/,
  ],
  [
    'an inline context maps another type to the signed one',
    ({ capability }) => ({
      ...withContext(capability, { SecurityAuditCredential: `${VOCABULARY}CapabilityCredential` }),
      '@context': [
        CREDENTIALS_V2,
        ED25519_SIGNATURE_2020_V1,
        {
          SecurityAuditCredential: `${VOCABULARY}CapabilityCredential`,
          skill: { '@id': `${VOCABULARY}skill`, '@container': '@set' },
        },
      ],
      type: ['VerifiableCredential', 'SecurityAuditCredential'],
    }),
    CONTEXT,
    /contexts inside a credential are not supported/,
    'fooled',
  ],
  [
    'an inline context swaps two terms',
    ({ v2 }) => ({
      ...inSubject(v2, { auditor: 'passed', auditResult: 'Ossian Labs' }),
      '@context': [
        CREDENTIALS_V2,
        ED25519_SIGNATURE_2020_V1,
        {
          auditor: `${VOCABULARY}auditResult`,
          auditResult: `${VOCABULARY}auditor`,
          SecurityAuditCredential: `${VOCABULARY}SecurityAuditCredential`,
          auditedAt: {
            '@id': `${VOCABULARY}auditedAt`,
            '@type': 'http://www.w3.org/2001/XMLSchema#dateTime',
          },
          auditReport: { '@id': `${VOCABULARY}auditReport`, '@type': '@id' },
        },
      ],
    }),
    CONTEXT,
    /contexts inside a credential are not supported/,
    'fooled',
  ],
  [
    'an alias of @index adds an unsigned claim',
    ({ v2 }) => inSubject(withContext(v2, { role: '@index' }), { role: 'admin' }),
    CONTEXT,
    /contexts inside a credential/,
    'fooled',
  ],
  [
    'an alias of @index adds an unsigned member of the proof',
    ({ v2 }) => inProof(withContext(v2, { role: '@index' }), { role: 'admin' }),
    CONTEXT,
    /contexts inside a credential/,
    'fooled',
  ],
  [
    '@index in the subject',
    ({ v2 }) => inSubject(v2, { '@index': 'admin' }),
    CONTEXT,
    /has the keyword "@index"/,
    'fooled',
  ],
  ['@included', ({ v2 }) => ({ ...v2, '@included': [] }), CONTEXT, /has the keyword "@included"/],
  [
    '@reverse',
    ({ v2 }) => inSubject(v2, { '@reverse': {} }),
    CONTEXT,
    /has the keyword "@reverse"/,
    'fooled',
  ],
  [
    '@graph',
    ({ v2 }) => ({ '@context': v2['@context'], '@graph': [v2] }),
    ['context', 'type', 'subject', 'proof_present', 'proof_verified'],
    /has the keyword "@graph"/,
  ],
  [
    '@id instead of id',
    ({ v2: { id, ...v2 } }) => ({ ...v2, '@id': id }),
    CONTEXT,
    /has the keyword "@id"/,
    'fooled',
  ],
  [
    '@type instead of type',
    ({ v2: { type, ...v2 } }) => ({ ...v2, '@type': type }),
    ['context', 'type', 'proof_verified'],
    /has the keyword "@type"/,
    undefined,
  ],
  [
    'an IRI as a key',
    ({ v2 }) => {
      const { auditor, ...subject } = v2.credentialSubject
      return { ...v2, credentialSubject: { ...subject, [`${VOCABULARY}auditor`]: auditor } }
    },
    CONTEXT,
    /is not a plain term/,
    'fooled',
  ],
  [
    'types that would fill the lists of others',
    ({ v2 }) => ({ ...v2, type: [...v2.type, ...Array.from({ length: 200 }, (_, n) => `T${n}`)] }),
    ['type', 'proof_verified'],
    /more than 16 types/,
  ],
  [
    'an IRI as a type',
    ({ v2 }) => ({ ...v2, type: ['VerifiableCredential', `${VOCABULARY}SecurityAuditCredential`] }),
    ['type', 'proof_verified'],
    /is not a plain term/,
    'fooled',
  ],
  [
    'a context in the subject',
    ({ v2 }) => inSubject(v2, { '@context': AGENT_CREDENTIALS_V1 }),
    CONTEXT,
    /has the keyword "@context"/,
    'fooled',
  ],
  [
    'an inline context that removes a term',
    ({ v2 }) => withContext(v2, { role: false }),
    CONTEXT,
    /contexts inside a credential/,
    undefined,
  ],
  [
    'an inline context that redefines a protected term',
    ({ v2 }) => withContext(v2, { auditor: 'https://evil.example/auditor' }),
    CONTEXT,
    /contexts inside a credential/,
  ],
  [
    'names of members that every JavaScript object has',
    ({ v2 }) => inSubject(v2, { constructor: { prototype: 'x' }, toString: 'x' }),
    PROOF,
    /cannot be canonicalised/,
  ],
  ['a blank node name', ({ v2 }) => inSubject(v2, { auditReport: '_:b0' }), CONTEXT, /is a blank node name/],
  [
    'the base context in second place',
    ({ v2 }) => ({ ...v2, '@context': v2['@context'].toReversed() }),
    CONTEXT,
    /must start with/,
  ],
  ['both base contexts', ({ v2 }) => withContext(v2, CREDENTIALS_V1), CONTEXT, /only one of them/],
  ['the same context twice', ({ v2 }) => withContext(v2, AGENT_CREDENTIALS_V1), CONTEXT, /twice/, 'fooled'],
  [
    'a context that is not a list',
    ({ v2 }) => ({ ...v2, '@context': CREDENTIALS_V2 }),
    CONTEXT,
    /must be a list of URLs/,
  ],
  ['no context', ({ v2 }) => without(v2, '@context'), CONTEXT, /must be a list of URLs/],
  ['an empty list of contexts', ({ v2 }) => ({ ...v2, '@context': [] }), CONTEXT, /must be a list of URLs/],
  [
    'the id of the credential in a list',
    ({ v2 }) => ({ ...v2, evidence: [{ type: 'Evidence' }, { id: v2.id }] }),
    CONTEXT,
    /\$\.evidence\.1 repeats the id/,
  ],
  [
    'the id of the credential deep inside',
    ({ v2 }) => inSubject(v2, { auditor: { id: 'urn:a', name: { id: v2.id } } }),
    CONTEXT,
    /\$\.credentialSubject\.auditor\.name repeats the id/,
  ],
  [
    'the id of a proof inside it',
    ({ v2 }) => inProof(v2, { id: 'urn:p', nonce: { id: 'urn:p' } }),
    CONTEXT,
    /\$\.proof\.nonce repeats the id "urn:p"/,
  ],
  [
    'a key of 129 letters',
    ({ jcs }) => inSubject(jcs, { ['a'.repeat(129)]: 1 }),
    CONTEXT,
    /not a plain term/,
  ],
  ['a key that starts with a digit', ({ jcs }) => inSubject(jcs, { '1a': 1 }), CONTEXT, /not a plain term/],
  ['a key that ends with a colon', ({ jcs }) => inSubject(jcs, { 'a:': 1 }), CONTEXT, /not a plain term/],
  [
    'a typed value',
    ({ v2 }) => inSubject(v2, { auditor: { '@value': 'x', '@type': '@json' } }),
    CONTEXT,
    /keyword/,
  ],
  [
    'an object as a value',
    ({ v2 }) => inSubject(v2, { auditor: { '@value': { a: 1 } } }),
    CONTEXT,
    /not a simple/,
  ],
  [
    'a list as a language',
    ({ v2 }) => inSubject(v2, { auditor: { '@value': 'x', '@language': ['en'] } }),
    CONTEXT,
    /not a simple value/,
  ],
  [
    'a language without a value',
    ({ v2 }) => inSubject(v2, { auditor: { '@language': 'en' } }),
    CONTEXT,
    /"@language"/,
  ],
  [
    'a keyword in a list',
    ({ v2 }) => inSubject(v2, { auditor: ['x', { '@id': 'urn:x' }] }),
    CONTEXT,
    /"@id"/,
  ],
  [
    'a blank node name in a list',
    ({ v2 }) => inSubject(v2, { auditor: ['x', '_:b'] }),
    CONTEXT,
    /blank node name/,
  ],
  [
    'a keyword in the proof',
    ({ v2 }) => inProof(v2, { '@index': 'x' }),
    CONTEXT,
    /\$\.proof has the keyword "@index"/,
  ],
  [
    'a keyword in the second proof',
    ({ v2 }) => ({ ...v2, proof: [v2.proof, { ...v2.proof, '@index': 'x' }] }),
    CONTEXT,
    /\$\.proof has the keyword "@index"/,
  ],
  [
    'a context inside the proof',
    ({ v2 }) => inProof(v2, { nonce: { '@context': CREDENTIALS_V2 } }),
    CONTEXT,
    /\$\.proof\.nonce has the keyword "@context"/,
  ],
  ['seven contexts', ({ v2 }) => withContext(v2, 'a', 'b', 'c', 'd'), CONTEXT, /7 entries/],
]

const termCases: Case[] = [
  [
    'an undefined term at the top level',
    ({ v2 }) => ({ ...v2, role: 'admin' }),
    PROOF,
    /cannot be canonicalised: .*"role"/,
  ],
  [
    'an undefined term in the subject',
    ({ v2 }) => inSubject(v2, { role: 'admin' }),
    PROOF,
    /cannot be canonicalised: .*"role"/,
  ],
  [
    'an undefined term in the proof',
    ({ v2 }) => inProof(v2, { role: 'admin' }),
    PROOF,
    /cannot be canonicalised: .*"role"/,
  ],
  [
    'an undefined term with eddsa-jcs-2022',
    ({ jcs }) => inSubject(jcs, { role: 'admin' }),
    PROOF,
    /does not match/,
  ],
  [
    'an undefined type',
    ({ v2 }) => ({ ...v2, type: [...v2.type, 'AdminCredential'] }),
    PROOF,
    /cannot be canonicalised/,
  ],
  [
    'a changed claim',
    ({ v2 }) => inSubject(v2, { auditResult: 'failed' }),
    PROOF,
    /^the signature does not match/,
  ],
  [
    'a changed claim with eddsa-rdfc-2022',
    ({ rdfc }) => inSubject(rdfc, { auditResult: 'failed' }),
    PROOF,
    /^the signature does not match/,
  ],
  [
    'a changed claim in VC 1.1',
    ({ v1 }) => inSubject(v1, { auditResult: 'failed' }),
    PROOF,
    /^the signature does not match/,
  ],
  [
    'an added claim with a known term',
    ({ v2 }) => inSubject(v2, { certificateNumber: '1' }),
    PROOF,
    /^the signature does not match/,
  ],
  [
    'a removed claim',
    ({ v2 }) => inSubject(v2, { auditResult: undefined }),
    PROOF,
    /^the signature does not match/,
  ],
]

const typeAndSubjectCases: Case[] = [
  [
    'no VerifiableCredential',
    ({ v2 }) => ({ ...v2, type: ['SecurityAuditCredential'] }),
    ['type', 'proof_verified'],
    /does not include VerifiableCredential/,
  ],
  [
    'a type that is not a list',
    ({ v2 }) => ({ ...v2, type: 'VerifiableCredential' }),
    ['type', 'proof_verified'],
    /must be a list/,
  ],
  ...[['Nested'], 7, 'A'.repeat(129), '9A', 'A_', ''].map((name): Case => [
    `the type ${JSON.stringify(name).slice(0, 20)}`,
    ({ v2 }) => ({ ...v2, type: [...v2.type, name] }),
    ['type', 'proof_verified'],
    /which is not a plain term/,
  ]),
  [
    'two known kinds',
    ({ v2 }) => ({ ...v2, type: [...v2.type, 'IdentityCredential'] }),
    ['type', 'proof_verified'],
    /more than one known kind/,
  ],
  [
    'the same type twice',
    ({ v2 }) => ({ ...v2, type: [...v2.type, 'VerifiableCredential'] }),
    ['type', 'proof_verified'],
    /twice/,
    'fooled',
  ],
  [
    'another subject',
    ({ v2 }) => inSubject(v2, { id: stranger.did }),
    ['subject', 'proof_verified'],
    /must be did:sol:9Wz/,
  ],
  [
    'a subject without id',
    ({ v2 }) => inSubject(v2, { id: undefined }),
    ['subject', 'proof_verified'],
    /it is missing/,
  ],
  [
    'a list that contains the subject',
    ({ v2 }) => ({ ...v2, credentialSubject: [v2.credentialSubject] }),
    ['subject'],
    /it is a list/,
    'fooled',
  ],
  [
    'two subjects',
    ({ v2 }) => ({ ...v2, credentialSubject: [v2.credentialSubject, { id: stranger.did }] }),
    ['subject', 'proof_verified'],
    /it is a list/,
  ],
]

const proofCases: Case[] = [
  ['no proof', ({ v2 }) => without(v2, 'proof'), ['proof_present', 'proof_verified'], /must be an object/],
  [
    'an empty list of proofs',
    ({ v2 }) => ({ ...v2, proof: [] }),
    ['proof_present', 'proof_verified'],
    /list of 1 to 4/,
  ],
  [
    'a proof that is a string',
    ({ v2 }) => ({ ...v2, proof: 'z' }),
    ['proof_present', 'proof_verified'],
    /must be an object/,
  ],
  [
    'a proof, then a string',
    ({ v2 }) => ({ ...v2, proof: [v2.proof, 'z'] }),
    ['proof_present', 'proof_verified'],
    /must be an object/,
  ],
  [
    'a valid proof, then an invalid one',
    ({ v2 }) => ({ ...v2, proof: [v2.proof, { ...v2.proof, proofValue: otherSignature() }] }),
    PROOF,
    /signature of proof 2 does not match/,
    'fooled',
  ],
  [
    'an invalid proof, then a valid one',
    ({ v2 }) => ({ ...v2, proof: [{ ...v2.proof, proofValue: otherSignature() }, v2.proof] }),
    PROOF,
    /signature of proof 1 does not match/,
    'fooled',
  ],
  [
    'a valid proof, then one of an unknown suite',
    ({ v2 }) => ({ ...v2, proof: [v2.proof, { ...v2.proof, type: 'Ed25519Signature2018' }] }),
    PROOF,
    /^proof 2 is not supported: its type/,
    'fooled',
  ],
  [
    'a valid proof, then one with another key',
    ({ v2 }) => ({ ...v2, proof: [v2.proof, { ...v2.proof, verificationMethod: stranger.vm }] }),
    PROOF,
    /^proof 2 names .* which is not a key of the issuer/,
    'fooled',
  ],
  [
    'five proofs',
    ({ v2 }) => ({ ...v2, proof: Array.from({ length: 5 }, () => v2.proof) }),
    ['proof_present', 'proof_verified'],
    /list of 1 to 4/,
    'fooled',
  ],
  [
    'a proof chain',
    ({ v2 }) => ({ ...v2, proof: [v2.proof, { ...v2.proof, previousProof: 'urn:1' }] }),
    PROOF,
    /proof chain/,
    'fooled',
  ],
  [
    'the verification method of another issuer',
    ({ v2 }) => inProof(v2, { verificationMethod: stranger.vm }),
    PROOF,
    /which is not a key of the issuer \(did:sol:\w+#key-1\)$/,
  ],
  [
    'a verification method with another fragment',
    ({ v2 }) => inProof(v2, { verificationMethod: `${issuer.did}#default` }),
    PROOF,
    /which is not a key of the issuer/,
  ],
  [
    'a verification method that is an object',
    ({ v2 }) => inProof(v2, { verificationMethod: { id: issuer.vm } }),
    PROOF,
    /verificationMethod must be a URL/,
    'fooled',
  ],
  [
    'a key inside the proof',
    ({ v2 }) => inProof(v2, { verificationMethod: { id: issuer.vm, publicKeyMultibase: 'z6Mk' } }),
    PROOF,
    /verificationMethod must be a URL/,
  ],
  [
    'another proof purpose',
    ({ v2 }) => inProof(v2, { proofPurpose: 'authentication' }),
    PROOF,
    /proofPurpose must be assertionMethod/,
  ],
  [
    'an unsupported suite',
    ({ v2 }) => inProof(v2, { type: 'JsonWebSignature2020' }),
    PROOF,
    /must be Ed25519Signature2020, or/,
  ],
  [
    'an unsupported cryptosuite',
    ({ rdfc }) => inProof(rdfc, { cryptosuite: 'ecdsa-rdfc-2019' }),
    PROOF,
    /must be Ed25519Signature2020, or/,
  ],
  [
    'the name of the other cryptosuite',
    ({ rdfc }) => inProof(rdfc, { cryptosuite: 'eddsa-jcs-2022' }),
    PROOF,
    /does not match/,
  ],
  [
    'a second signature in jws',
    ({ v2 }) => inProof(v2, { jws: 'x' }),
    PROOF,
    /second signature next to proofValue/,
  ],
  [
    'a second signature in signatureValue',
    ({ v2 }) => inProof(v2, { signatureValue: 'x' }),
    PROOF,
    /second signature next to proofValue/,
  ],
  [
    'another prefix of multibase',
    ({ v2 }) => inProof(v2, { proofValue: v2.proof.proofValue.replace('z', 'Z') }),
    PROOF,
    /multibase base-58/,
  ],
  ['no proofValue', ({ v2 }) => inProof(v2, { proofValue: undefined }), PROOF, /multibase base-58/],
  [
    'a list with a proofValue',
    ({ v2 }) => inProof(v2, { proofValue: [v2.proof.proofValue] }),
    PROOF,
    /multibase base-58/,
  ],
  ['no proofPurpose', ({ v2 }) => inProof(v2, { proofPurpose: undefined }), PROOF, /must be assertionMethod/],
  [
    'another type with a known cryptosuite',
    ({ jcs }) => inProof(jcs, { type: 'Other' }),
    PROOF,
    /must be Ed25519Signature2020, or/,
  ],
  [
    'no cryptosuite',
    ({ jcs }) => inProof(jcs, { cryptosuite: undefined }),
    PROOF,
    /"DataIntegrityProof" must be/,
  ],
  ['an empty context in a proof', ({ jcs }) => inProof(jcs, { '@context': [] }), PROOF, /must be the start/],
  [
    'a proof whose context is not a list',
    ({ jcs }) => inProof(jcs, { '@context': CREDENTIALS_V2 }),
    PROOF,
    /must be the start/,
  ],
  [
    'a proof with more contexts than the credential',
    ({ jcs }) => inProof(jcs, { '@context': [...jcs['@context'], DATA_INTEGRITY_V2] }),
    PROOF,
    /must be the start/,
  ],
  [
    'VC 1.1 with a cryptosuite but no context for it',
    ({ v1, rdfc }) => ({ ...v1, proof: rdfc.proof }),
    PROOF,
    /must include https:..w3id.org.security.data-integrity.v2/,
  ],
  [
    'base64url instead of base-58',
    ({ v2 }) => inProof(v2, { proofValue: `u${Buffer.alloc(64).toString('base64url')}` }),
    PROOF,
    /multibase base-58/,
  ],
  [
    'padded base-58',
    ({ v2 }) => inProof(v2, { proofValue: `z1${v2.proof.proofValue.slice(1)}` }),
    PROOF,
    /multibase base-58/,
  ],
  [
    'a truncated signature',
    ({ v2 }) => inProof(v2, { proofValue: v2.proof.proofValue.slice(0, -2) }),
    PROOF,
    /multibase base-58/,
  ],
  [
    'no context for the suite',
    ({ v2 }) => ({ ...v2, '@context': v2['@context'].slice(0, -1) }),
    PROOF,
    /must include .*ed25519-2020/,
  ],
  [
    'a proof with another context than the credential',
    ({ rdfc }) => inProof(rdfc, { '@context': [CREDENTIALS_V1] }),
    PROOF,
    /@context must be the credential's/,
  ],
  [
    'a proof whose context is not the start of the credential’s',
    ({ jcs }) => inProof(jcs, { '@context': [AGENT_CREDENTIALS_V1] }),
    PROOF,
    /must be the start/,
  ],
  [
    'an issuer that is not trusted',
    ({ v2 }) => ({ ...v2, issuer: stranger.did }),
    PROOF,
    /not in the trusted issuer registry; the signature was not checked/,
  ],
  ['no issuer', ({ v2 }) => without(v2, 'issuer'), PROOF, /issuer "" is not in the trusted/],
  [
    'an issuer that would fill the lists of others',
    ({ v2 }) => ({ ...v2, issuer: `${issuer.did}?${'x'.repeat(1_024)}` }),
    PROOF,
    /issuer "" is not in the trusted/,
  ],
  [
    'an issuer whose id is a list',
    ({ v2 }) => ({ ...v2, issuer: { id: [issuer.did] } }),
    PROOF,
    /issuer "" is/,
  ],
  [
    'an issuer that is a list',
    ({ v2 }) => ({ ...v2, issuer: [issuer.did] }),
    PROOF,
    /not in the trusted/,
    undefined,
  ],
]

const dateCases: Case[] = [
  [
    'an expiry of the proof that was not signed',
    ({ v2 }) => inProof(v2, { expires: '2026-11-21T12:30:00Z' }),
    PROOF,
    /does not match/,
  ],
  [
    'a created that is not a date',
    ({ v2 }) => inProof(v2, { created: '2026-02-30T00:00:00Z' }),
    PROOF,
    /created must be a date/,
  ],
  ['no created', ({ v2 }) => inProof(v2, { created: undefined }), PROOF, /created must be a date/],
  [
    'a created that is not a date with a cryptosuite',
    ({ jcs }) => inProof(jcs, { created: 'never' }),
    PROOF,
    /created must be a date/,
  ],
  [
    'an expires that is not a date',
    ({ v2 }) => inProof(v2, { expires: 'never' }),
    PROOF,
    /expires must be a date/,
  ],
  [
    'a proof that expires before it was created',
    ({ v2 }) => inProof(v2, { expires: '2026-01-01T00:00:00Z' }),
    PROOF,
    /expires before it was created/,
  ],
  [
    '30 February',
    ({ v2 }) => ({ ...v2, validUntil: '2027-02-30T00:00:00Z' }),
    ['temporal', 'proof_verified'],
    /validUntil must be a date/,
  ],
  [
    'a date without a time zone',
    ({ v2 }) => ({ ...v2, validFrom: '2026-11-01T00:00:00' }),
    ['temporal', 'proof_verified'],
    /validFrom must be a date/,
  ],
  [
    'a date that is a list',
    ({ v2 }) => ({ ...v2, validUntil: ['2027-11-01T00:00:00Z'] }),
    ['temporal'],
    /it is a list/,
  ],
  [
    'hour 24',
    ({ v2 }) => ({ ...v2, validUntil: '2027-11-01T24:00:00Z' }),
    ['temporal', 'proof_verified'],
    /must be a date/,
  ],
  [
    'an end before the start',
    ({ v2 }) => ({ ...v2, validUntil: '2026-10-01T00:00:00Z' }),
    ['temporal', 'proof_verified'],
    /ends .* before it starts/,
  ],
  [
    'VC 1.1 without issuanceDate',
    ({ v1 }) => without(v1, 'issuanceDate'),
    ['temporal', 'proof_verified'],
    /issuanceDate is missing/,
  ],
]

/** A well-formed signature of another document. */
const otherSignature = (): string => jcs.proof.proofValue

describe.each([
  ['contexts and JSON-LD', contextCases],
  ['terms', termCases],
  ['types and subjects', typeAndSubjectCases],
  ['proofs', proofCases],
  ['dates', dateCases],
])('hostile credentials are refused: %s', (_, cases) => {
  test.each(cases)('%s', async (_, attack, failing, detail, fooled) => {
    const credential = attack(structuredClone({ v1, v2, rdfc, jcs, capability }))
    expectFailures(await verify(credential), failing, detail)
    const isRealAttack = fooled === undefined || (await verifiedByDigitalBazaar(credential, loader))
    expect(isRealAttack).toBe(true)
  })
})
