import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  AGENT_CREDENTIALS_V1,
  CREDENTIALS_V1,
  CREDENTIALS_V2,
  ED25519_SIGNATURE_2020_V1,
} from '../../../src/identity/credentials/contexts/pinned.ts'
import type { CheckName } from '../../../src/identity/credentials/verify/result.ts'
import { createTestIssuer, type Json, loaderOf, unsigned } from '../../support/credentials/issuer.ts'
import { verifiedByDigitalBazaar } from '../../support/credentials/oracle.ts'
import { expectFailures, verifierTrusting } from '../../support/credentials/verifying.ts'

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

/** The signed credential, changed by the attacker. */
type Attack = (copies: { v1: Json; v2: Json; rdfc: Json; jcs: Json; capability: Json }) => Json
/** `fooled`: the Digital Bazaar stack says `verified`, so that the attack is a real one. */
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
    'a context that is not known',
    ({ v2 }) => withContext(v2, 'https://evil.example/v1'),
    CONTEXT,
    /not a known context/,
  ],
  [
    'a context inside the network',
    ({ v2 }) => withContext(v2, 'http://169.254.169.254/latest'),
    CONTEXT,
    /not a known context/,
  ],
  [
    'type upgrade by an inline context',
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
    /contexts inside a credential are not taken/,
    'fooled',
  ],
  [
    'term swap by an inline context',
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
    /contexts inside a credential are not taken/,
    'fooled',
  ],
  [
    'unsigned claim by an alias of @index',
    ({ v2 }) => inSubject(withContext(v2, { role: '@index' }), { role: 'admin' }),
    CONTEXT,
    /contexts inside a credential/,
    'fooled',
  ],
  [
    'unsigned member of the proof by such an alias',
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
    '@id in place of id',
    ({ v2: { id, ...v2 } }) => ({ ...v2, '@id': id }),
    CONTEXT,
    /has the keyword "@id"/,
    'fooled',
  ],
  [
    '@type in place of type',
    ({ v2: { type, ...v2 } }) => ({ ...v2, '@type': type }),
    ['context', 'type', 'proof_verified'],
    /has the keyword "@type"/,
    undefined,
  ],
  [
    'an IRI as key',
    ({ v2 }) => {
      const { auditor, ...subject } = v2.credentialSubject
      return { ...v2, credentialSubject: { ...subject, [`${VOCABULARY}auditor`]: auditor } }
    },
    CONTEXT,
    /is not a plain term/,
    'fooled',
  ],
  [
    'an IRI as type',
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
    'a context inside that unsays a term',
    ({ v2 }) => withContext(v2, { role: false }),
    CONTEXT,
    /contexts inside a credential/,
    undefined,
  ],
  [
    'a term redefined that is protected',
    ({ v2 }) => withContext(v2, { auditor: 'https://evil.example/auditor' }),
    CONTEXT,
    /contexts inside a credential/,
  ],
  [
    'keys of every object',
    ({ v2 }) => inSubject(v2, { constructor: { prototype: 'x' }, toString: 'x' }),
    PROOF,
    /cannot be canonicalised/,
  ],
  ['a blank node name', ({ v2 }) => inSubject(v2, { auditReport: '_:b0' }), CONTEXT, /is a blank node name/],
  [
    'the base context second',
    ({ v2 }) => ({ ...v2, '@context': v2['@context'].toReversed() }),
    CONTEXT,
    /must begin with/,
  ],
  ['both base contexts', ({ v2 }) => withContext(v2, CREDENTIALS_V1), CONTEXT, /only one of them/],
  ['a context twice', ({ v2 }) => withContext(v2, AGENT_CREDENTIALS_V1), CONTEXT, /twice/, 'fooled'],
  [
    'no list of contexts',
    ({ v2 }) => ({ ...v2, '@context': CREDENTIALS_V2 }),
    CONTEXT,
    /must be a list of URLs/,
  ],
  ['no context', ({ v2 }) => without(v2, '@context'), CONTEXT, /must be a list of URLs/],
  ['seven contexts', ({ v2 }) => withContext(v2, 'a', 'b', 'c', 'd'), CONTEXT, /7 entries/],
]

const termCases: Case[] = [
  [
    'an undefined term at the top',
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
    'an undefined term under eddsa-jcs-2022',
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
    'a claim changed',
    ({ v2 }) => inSubject(v2, { auditResult: 'failed' }),
    PROOF,
    /^the signature does not match/,
  ],
  [
    'a claim changed, eddsa-rdfc-2022',
    ({ rdfc }) => inSubject(rdfc, { auditResult: 'failed' }),
    PROOF,
    /^the signature does not match/,
  ],
  [
    'a claim changed, VC 1.1',
    ({ v1 }) => inSubject(v1, { auditResult: 'failed' }),
    PROOF,
    /^the signature does not match/,
  ],
  [
    'a known claim added',
    ({ v2 }) => inSubject(v2, { certificateNumber: '1' }),
    PROOF,
    /^the signature does not match/,
  ],
  [
    'a claim taken away',
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
    /lacks VerifiableCredential/,
  ],
  [
    'a type that is no list',
    ({ v2 }) => ({ ...v2, type: 'VerifiableCredential' }),
    ['type', 'proof_verified'],
    /must be a list/,
  ],
  [
    'two kinds',
    ({ v2 }) => ({ ...v2, type: [...v2.type, 'IdentityCredential'] }),
    ['type', 'proof_verified'],
    /more than one kind/,
  ],
  [
    'a type twice',
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
    'a list with the subject',
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
    'a proof that is text',
    ({ v2 }) => ({ ...v2, proof: 'z' }),
    ['proof_present', 'proof_verified'],
    /must be an object/,
  ],
  [
    '[valid, garbage]',
    ({ v2 }) => ({ ...v2, proof: [v2.proof, { ...v2.proof, proofValue: jcsValue() }] }),
    PROOF,
    /signature of proof 2 does not match/,
    'fooled',
  ],
  [
    '[garbage, valid]',
    ({ v2 }) => ({ ...v2, proof: [{ ...v2.proof, proofValue: jcsValue() }, v2.proof] }),
    PROOF,
    /signature of proof 1 does not match/,
    'fooled',
  ],
  [
    '[valid, of an unknown suite]',
    ({ v2 }) => ({ ...v2, proof: [v2.proof, { ...v2.proof, type: 'Ed25519Signature2018' }] }),
    PROOF,
    /^proof 2 is not taken: its type/,
    'fooled',
  ],
  [
    '[valid, by another key]',
    ({ v2 }) => ({ ...v2, proof: [v2.proof, { ...v2.proof, verificationMethod: stranger.vm }] }),
    PROOF,
    /^proof 2 names .* which is no key of the issuer/,
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
    'a chain of proofs',
    ({ v2 }) => ({ ...v2, proof: [v2.proof, { ...v2.proof, previousProof: 'urn:1' }] }),
    PROOF,
    /proof chain/,
    'fooled',
  ],
  [
    'a verification method of another',
    ({ v2 }) => inProof(v2, { verificationMethod: stranger.vm }),
    PROOF,
    /which is no key of the issuer/,
  ],
  [
    'another fragment',
    ({ v2 }) => inProof(v2, { verificationMethod: `${issuer.did}#default` }),
    PROOF,
    /which is no key of the issuer/,
  ],
  [
    'a verification method as object',
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
    'another purpose',
    ({ v2 }) => inProof(v2, { proofPurpose: 'authentication' }),
    PROOF,
    /proofPurpose must be assertionMethod/,
  ],
  ['another suite', ({ v2 }) => inProof(v2, { type: 'JsonWebSignature2020' }), PROOF, /is none of/],
  [
    'another cryptosuite',
    ({ rdfc }) => inProof(rdfc, { cryptosuite: 'ecdsa-rdfc-2019' }),
    PROOF,
    /is none of/,
  ],
  [
    'the other cryptosuite',
    ({ rdfc }) => inProof(rdfc, { cryptosuite: 'eddsa-jcs-2022' }),
    PROOF,
    /does not match/,
  ],
  ['a second signature in jws', ({ v2 }) => inProof(v2, { jws: 'x' }), PROOF, /signature beside proofValue/],
  [
    'base64url for base-58',
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
    'a signature cut short',
    ({ v2 }) => inProof(v2, { proofValue: v2.proof.proofValue.slice(0, -2) }),
    PROOF,
    /multibase base-58/,
  ],
  [
    'no suite context',
    ({ v2 }) => ({ ...v2, '@context': v2['@context'].slice(0, -1) }),
    PROOF,
    /lacks .*ed25519-2020/,
  ],
  [
    'a context of the proof that is not the credential’s',
    ({ rdfc }) => inProof(rdfc, { '@context': [CREDENTIALS_V1] }),
    PROOF,
    /@context is not the credential's/,
  ],
  [
    'a context of the proof that does not begin the credential’s',
    ({ jcs }) => inProof(jcs, { '@context': [AGENT_CREDENTIALS_V1] }),
    PROOF,
    /is not the beginning/,
  ],
  [
    'an issuer that is not trusted',
    ({ v2 }) => ({ ...v2, issuer: stranger.did }),
    PROOF,
    /not in the trusted issuer registry; the signature was not checked/,
  ],
  ['no issuer', ({ v2 }) => without(v2, 'issuer'), PROOF, /issuer "" is not in the trusted/],
  [
    'an issuer as list',
    ({ v2 }) => ({ ...v2, issuer: [issuer.did] }),
    PROOF,
    /not in the trusted/,
    undefined,
  ],
]

const dateCases: Case[] = [
  [
    'an expires of the proof that was not signed',
    ({ v2 }) => inProof(v2, { expires: '2026-11-21T12:30:00Z' }),
    PROOF,
    /does not match/,
  ],
  [
    'created is no date',
    ({ v2 }) => inProof(v2, { created: '2026-02-30T00:00:00Z' }),
    PROOF,
    /created must be a date/,
  ],
  ['expires is no date', ({ v2 }) => inProof(v2, { expires: 'never' }), PROOF, /expires must be a date/],
  [
    'expires before created',
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
    'a date without zone',
    ({ v2 }) => ({ ...v2, validFrom: '2026-11-01T00:00:00' }),
    ['temporal', 'proof_verified'],
    /validFrom must be a date/,
  ],
  [
    'a date as list',
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
    'an end before the begin',
    ({ v2 }) => ({ ...v2, validUntil: '2026-10-01T00:00:00Z' }),
    ['temporal', 'proof_verified'],
    /ends .* before it begins/,
  ],
  [
    'VC 1.1 without issuanceDate',
    ({ v1 }) => without(v1, 'issuanceDate'),
    ['temporal', 'proof_verified'],
    /issuanceDate is missing/,
  ],
]

let garbage = ''
const jcsValue = (): string => (garbage ||= jcs.proof.proofValue)

describe.each([
  ['contexts and JSON-LD', contextCases],
  ['terms', termCases],
  ['types and subjects', typeAndSubjectCases],
  ['proofs', proofCases],
  ['dates', dateCases],
])('%s', (_, cases) => {
  test.each(cases)('%s', async (_, attack, failing, detail, fooled) => {
    const credential = attack(structuredClone({ v1, v2, rdfc, jcs, capability }))
    expectFailures(await verify(credential), failing, detail)
    const theirs = fooled === undefined || (await verifiedByDigitalBazaar(credential, loader))
    expect(theirs).toBe(true)
  })
})
