import { beforeAll, expect, test } from 'vitest'
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
const verify = verifierTrusting(issuer)
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

type Copies = Record<'v1' | 'v2' | 'rdfc' | 'jcs' | 'capability', Json>
/** Changes a signed credential like an attacker would. */
type Attack = (copies: Copies) => Json
/** `fooled`: the Digital Bazaar stack accepts the result, which proves that the attack is real. */
type Case = [name: string, attack: Attack, detail: RegExp, fooled?: 'fooled']
type Members = Record<string, unknown> | ((credential: Json) => Json)

const CONTEXT: CheckName[] = ['context', 'proof_verified']
const TYPE: CheckName[] = ['type', 'proof_verified']
const SUBJECT: CheckName[] = ['subject', 'proof_verified']
const PROOF: CheckName[] = ['proof_verified']
const NO_PROOF: CheckName[] = ['proof_present', 'proof_verified']
const DATES: CheckName[] = ['temporal', 'proof_verified']

const changed =
  (members: Members, kind: keyof Copies = 'v2'): Attack =>
  ({ [kind]: credential }) => ({
    ...credential,
    ...(typeof members === 'function' ? members(credential) : members),
  })
const within =
  (part: 'credentialSubject' | 'proof') =>
  (members: Members, kind?: keyof Copies): Attack =>
    changed(
      (credential) => ({
        [part]: {
          ...credential[part],
          ...(typeof members === 'function' ? members(credential) : members),
        },
      }),
      kind,
    )
const inSubject = within('credentialSubject')
const inProof = within('proof')
const withContext = (...more: unknown[]): Attack =>
  changed((v2) => ({ '@context': [...v2['@context'], ...more] }))
const withType = (...more: unknown[]): Attack => changed((v2) => ({ type: [...v2.type, ...more] }))
const withProof = (members: Json): Attack =>
  changed(({ proof }) => ({ proof: [proof, { ...proof, ...members }] }))
const both =
  (first: Attack, second: Attack): Attack =>
  (copies) =>
    second({ ...copies, v2: first(copies) })
const without =
  (member: string, kind?: keyof Copies): Attack =>
  (copies) =>
    JSON.parse(JSON.stringify(changed({ [member]: undefined }, kind)(copies)))

function refuses(title: string, failing: CheckName[], cases: Case[]): void {
  test.each(cases)(`hostile credentials are refused: ${title}: %s`, async (_, attack, detail, fooled) => {
    const credential = attack(structuredClone({ v1, v2, rdfc, jcs, capability }))
    expectFailures(await verify(credential), failing, detail)
    const isRealAttack = fooled === undefined || (await verifiedByDigitalBazaar(credential, loader))
    expect(isRealAttack).toBe(true)
  })
}

refuses('contexts and JSON-LD', CONTEXT, [
  ['an unknown context', withContext('https://evil.example/v1'), /not a known context/],
  ['a context on the internal network', withContext('http://169.254.169.254/latest'), /not a known context/],
  [
    'an inline context maps another type to the signed one',
    changed(
      {
        '@context': [
          CREDENTIALS_V2,
          ED25519_SIGNATURE_2020_V1,
          {
            SecurityAuditCredential: `${VOCABULARY}CapabilityCredential`,
            skill: { '@id': `${VOCABULARY}skill`, '@container': '@set' },
          },
        ],
        type: ['VerifiableCredential', 'SecurityAuditCredential'],
      },
      'capability',
    ),
    /contexts inside a credential are not supported/,
    'fooled',
  ],
  [
    'an inline context swaps two terms',
    changed(({ credentialSubject }) => ({
      credentialSubject: { ...credentialSubject, auditor: 'passed', auditResult: 'Ossian Labs' },
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
    })),
    /contexts inside a credential are not supported/,
    'fooled',
  ],
  [
    'an alias of @index adds an unsigned claim',
    both(withContext({ role: '@index' }), inSubject({ role: 'admin' })),
    /contexts inside a credential/,
    'fooled',
  ],
  [
    'an alias of @index adds an unsigned member of the proof',
    both(withContext({ role: '@index' }), inProof({ role: 'admin' })),
    /contexts inside a credential/,
    'fooled',
  ],
  ['@index in the subject', inSubject({ '@index': 'admin' }), /has the keyword "@index"/, 'fooled'],
  ['@included', changed({ '@included': [] }), /has the keyword "@included"/],
  ['@reverse', inSubject({ '@reverse': {} }), /has the keyword "@reverse"/, 'fooled'],
  ['@id instead of id', ({ v2: { id, ...v2 } }) => ({ ...v2, '@id': id }), /has the keyword "@id"/, 'fooled'],
  [
    'an IRI as a key',
    changed(({ credentialSubject: { auditor, ...subject } }) => ({
      credentialSubject: { ...subject, [`${VOCABULARY}auditor`]: auditor },
    })),
    /is not a plain term/,
    'fooled',
  ],
  [
    'a context in the subject',
    inSubject({ '@context': AGENT_CREDENTIALS_V1 }),
    /has the keyword "@context"/,
    'fooled',
  ],
  ['an inline context that removes a term', withContext({ role: false }), /contexts inside a credential/],
  [
    'an inline context that redefines a protected term',
    withContext({ auditor: 'https://evil.example/auditor' }),
    /contexts inside a credential/,
  ],
  ['a blank node name', inSubject({ auditReport: '_:b0' }), /is a blank node name/],
  [
    'the base context in second place',
    changed((v2) => ({ '@context': v2['@context'].toReversed() })),
    /must start with/,
  ],
  ['both base contexts', withContext(CREDENTIALS_V1), /only one of them/],
  ['the same context twice', withContext(AGENT_CREDENTIALS_V1), /twice/, 'fooled'],
  ['a context that is not a list', changed({ '@context': CREDENTIALS_V2 }), /must be a list of URLs/],
  ['no context', without('@context'), /must be a list of URLs/],
  ['an empty list of contexts', changed({ '@context': [] }), /must be a list of URLs/],
  [
    'the id of the credential in a list',
    changed((v2) => ({ evidence: [{ type: 'Evidence' }, { id: v2.id }] })),
    /\$\.evidence\.1 repeats the id/,
  ],
  [
    'the id of the credential deep inside',
    inSubject((v2) => ({ auditor: { id: 'urn:a', name: { id: v2.id } } })),
    /\$\.credentialSubject\.auditor\.name repeats the id/,
  ],
  [
    'the id of a proof inside it',
    inProof({ id: 'urn:p', nonce: { id: 'urn:p' } }),
    /\$\.proof\.nonce repeats the id "urn:p"/,
  ],
  ['a key of 129 letters', inSubject({ ['a'.repeat(129)]: 1 }, 'jcs'), /not a plain term/],
  ['a key that starts with a digit', inSubject({ '1a': 1 }, 'jcs'), /not a plain term/],
  ['a key that ends with a colon', inSubject({ 'a:': 1 }, 'jcs'), /not a plain term/],
  ['a typed value', inSubject({ auditor: { '@value': 'x', '@type': '@json' } }), /keyword/],
  ['an object as a value', inSubject({ auditor: { '@value': { a: 1 } } }), /not a simple/],
  [
    'a list as a language',
    inSubject({ auditor: { '@value': 'x', '@language': ['en'] } }),
    /not a simple value/,
  ],
  ['a language without a value', inSubject({ auditor: { '@language': 'en' } }), /"@language"/],
  ['a keyword in a list', inSubject({ auditor: ['x', { '@id': 'urn:x' }] }), /"@id"/],
  ['a blank node name in a list', inSubject({ auditor: ['x', '_:b'] }), /blank node name/],
  ['a keyword in the proof', inProof({ '@index': 'x' }), /\$\.proof has the keyword "@index"/],
  ['a keyword in the second proof', withProof({ '@index': 'x' }), /\$\.proof has the keyword "@index"/],
  [
    'a context inside the proof',
    inProof({ nonce: { '@context': CREDENTIALS_V2 } }),
    /\$\.proof\.nonce has the keyword "@context"/,
  ],
  ['seven contexts', withContext('a', 'b', 'c', 'd'), /7 entries/],
])

refuses(
  'a graph',
  ['context', 'type', 'subject', 'proof_present', 'proof_verified'],
  [['@graph', ({ v2 }) => ({ '@context': v2['@context'], '@graph': [v2] }), /has the keyword "@graph"/]],
)

refuses(
  'keywords as names',
  ['context', 'type', 'proof_verified'],
  [
    [
      '@type instead of type',
      ({ v2: { type, ...v2 } }) => ({ ...v2, '@type': type }),
      /has the keyword "@type"/,
    ],
  ],
)

refuses('types', TYPE, [
  [
    'types that would fill the lists of others',
    withType(...Array.from({ length: 200 }, (_, n) => `T${n}`)),
    /more than 16 types/,
  ],
  [
    'an IRI as a type',
    changed({ type: ['VerifiableCredential', `${VOCABULARY}SecurityAuditCredential`] }),
    /is not a plain term/,
    'fooled',
  ],
  [
    'no VerifiableCredential',
    changed({ type: ['SecurityAuditCredential'] }),
    /does not include VerifiableCredential/,
  ],
  ['a type that is not a list', changed({ type: 'VerifiableCredential' }), /must be a list/],
  ...[['Nested'], 7, 'A'.repeat(129), '9A', 'A_', ''].map((name): Case => [
    `the type ${JSON.stringify(name).slice(0, 20)}`,
    withType(name),
    /which is not a plain term/,
  ]),
  ['two known kinds', withType('IdentityCredential'), /more than one known kind/],
  ['the same type twice', withType('VerifiableCredential'), /twice/, 'fooled'],
])

refuses('terms', PROOF, [
  [
    'names of members that every JavaScript object has',
    inSubject({ constructor: { prototype: 'x' }, toString: 'x' }),
    /cannot be canonicalised/,
  ],
  ['an undefined term at the top level', changed({ role: 'admin' }), /cannot be canonicalised: .*"role"/],
  ['an undefined term in the subject', inSubject({ role: 'admin' }), /cannot be canonicalised: .*"role"/],
  ['an undefined term in the proof', inProof({ role: 'admin' }), /cannot be canonicalised: .*"role"/],
  ['an undefined term with eddsa-jcs-2022', inSubject({ role: 'admin' }, 'jcs'), /does not match/],
  ['an undefined type', withType('AdminCredential'), /cannot be canonicalised/],
  ['a changed claim', inSubject({ auditResult: 'failed' }), /^the signature does not match/],
  [
    'a changed claim with eddsa-rdfc-2022',
    inSubject({ auditResult: 'failed' }, 'rdfc'),
    /^the signature does not match/,
  ],
  ['a changed claim in VC 1.1', inSubject({ auditResult: 'failed' }, 'v1'), /^the signature does not match/],
  [
    'an added claim with a known term',
    inSubject({ certificateNumber: '1' }),
    /^the signature does not match/,
  ],
  ['a removed claim', inSubject({ auditResult: undefined }), /^the signature does not match/],
])

refuses('subjects', SUBJECT, [
  ['another subject', inSubject({ id: stranger.did }), /must be did:sol:9Wz/],
  ['a subject without id', inSubject({ id: undefined }), /it is missing/],
  [
    'two subjects',
    changed((v2) => ({ credentialSubject: [v2.credentialSubject, { id: stranger.did }] })),
    /it is a list/,
  ],
])

refuses(
  'a list of subjects',
  ['subject'],
  [
    [
      'a list that contains the subject',
      changed((v2) => ({ credentialSubject: [v2.credentialSubject] })),
      /it is a list/,
      'fooled',
    ],
  ],
)

refuses('numbers of proofs', NO_PROOF, [
  ['no proof', without('proof'), /must be an object/],
  ['an empty list of proofs', changed({ proof: [] }), /list of 1 to 4/],
  ['a proof that is a string', changed({ proof: 'z' }), /must be an object/],
  ['a proof, then a string', changed((v2) => ({ proof: [v2.proof, 'z'] })), /must be an object/],
  [
    'five proofs',
    changed((v2) => ({ proof: Array.from({ length: 5 }, () => v2.proof) })),
    /list of 1 to 4/,
    'fooled',
  ],
])

refuses('proofs', PROOF, [
  [
    'a valid proof, then an invalid one',
    ({ v2, jcs: other }) => ({
      ...v2,
      proof: [v2.proof, { ...v2.proof, proofValue: other.proof.proofValue }],
    }),
    /signature of proof 2 does not match/,
    'fooled',
  ],
  [
    'an invalid proof, then a valid one',
    ({ v2, jcs: other }) => ({
      ...v2,
      proof: [{ ...v2.proof, proofValue: other.proof.proofValue }, v2.proof],
    }),
    /signature of proof 1 does not match/,
    'fooled',
  ],
  [
    'a valid proof, then one of an unknown suite',
    withProof({ type: 'Ed25519Signature2018' }),
    /^proof 2 is not supported: its type/,
    'fooled',
  ],
  [
    'a valid proof, then one with another key',
    withProof({ verificationMethod: stranger.vm }),
    /^proof 2 names .* which is not a key of the issuer/,
    'fooled',
  ],
  ['a proof chain', withProof({ previousProof: 'urn:1' }), /proof chain/, 'fooled'],
  [
    'the verification method of another issuer',
    inProof({ verificationMethod: stranger.vm }),
    /which is not a key of the issuer \(did:sol:\w+#key-1\)$/,
  ],
  [
    'a verification method with another fragment',
    inProof({ verificationMethod: `${issuer.did}#default` }),
    /which is not a key of the issuer/,
  ],
  [
    'a verification method that is an object',
    inProof({ verificationMethod: { id: issuer.vm } }),
    /verificationMethod must be a URL/,
    'fooled',
  ],
  [
    'a key inside the proof',
    inProof({ verificationMethod: { id: issuer.vm, publicKeyMultibase: 'z6Mk' } }),
    /verificationMethod must be a URL/,
  ],
  [
    'another proof purpose',
    inProof({ proofPurpose: 'authentication' }),
    /proofPurpose must be assertionMethod/,
  ],
  ['an unsupported suite', inProof({ type: 'JsonWebSignature2020' }), /must be Ed25519Signature2020, or/],
  [
    'an unsupported cryptosuite',
    inProof({ cryptosuite: 'ecdsa-rdfc-2019' }, 'rdfc'),
    /must be Ed25519Signature2020, or/,
  ],
  ['the name of the other cryptosuite', inProof({ cryptosuite: 'eddsa-jcs-2022' }, 'rdfc'), /does not match/],
  ['a second signature in jws', inProof({ jws: 'x' }), /second signature next to proofValue/],
  [
    'a second signature in signatureValue',
    inProof({ signatureValue: 'x' }),
    /second signature next to proofValue/,
  ],
  [
    'another prefix of multibase',
    inProof((v2) => ({ proofValue: v2.proof.proofValue.replace('z', 'Z') })),
    /multibase base-58/,
  ],
  ['no proofValue', inProof({ proofValue: undefined }), /multibase base-58/],
  ['a list with a proofValue', inProof((v2) => ({ proofValue: [v2.proof.proofValue] })), /multibase base-58/],
  ['no proofPurpose', inProof({ proofPurpose: undefined }), /must be assertionMethod/],
  [
    'another type with a known cryptosuite',
    inProof({ type: 'Other' }, 'jcs'),
    /must be Ed25519Signature2020, or/,
  ],
  ['no cryptosuite', inProof({ cryptosuite: undefined }, 'jcs'), /"DataIntegrityProof" must be/],
  ['an empty context in a proof', inProof({ '@context': [] }, 'jcs'), /must be the start/],
  [
    'a proof whose context is not a list',
    inProof({ '@context': CREDENTIALS_V2 }, 'jcs'),
    /must be the start/,
  ],
  [
    'a proof with more contexts than the credential',
    inProof((jcs) => ({ '@context': [...jcs['@context'], DATA_INTEGRITY_V2] }), 'jcs'),
    /must be the start/,
  ],
  [
    'VC 1.1 with a cryptosuite but no context for it',
    ({ v1, rdfc }) => ({ ...v1, proof: rdfc.proof }),
    /must include https:..w3id.org.security.data-integrity.v2/,
  ],
  [
    'base64url instead of base-58',
    inProof({ proofValue: `u${Buffer.alloc(64).toString('base64url')}` }),
    /multibase base-58/,
  ],
  [
    'padded base-58',
    inProof((v2) => ({ proofValue: `z1${v2.proof.proofValue.slice(1)}` })),
    /multibase base-58/,
  ],
  [
    'a truncated signature',
    inProof((v2) => ({ proofValue: v2.proof.proofValue.slice(0, -2) })),
    /multibase base-58/,
  ],
  [
    'no context for the suite',
    changed((v2) => ({ '@context': v2['@context'].slice(0, -1) })),
    /must include .*ed25519-2020/,
  ],
  [
    'a proof with another context than the credential',
    inProof({ '@context': [CREDENTIALS_V1] }, 'rdfc'),
    /@context must be the credential's/,
  ],
  [
    'a proof whose context is not the start of the credential’s',
    inProof({ '@context': [AGENT_CREDENTIALS_V1] }, 'jcs'),
    /must be the start/,
  ],
  [
    'an issuer that is not trusted',
    changed({ issuer: stranger.did }),
    /not in the trusted issuer registry; the signature was not checked/,
  ],
  ['no issuer', without('issuer'), /issuer "" is not in the trusted/],
  [
    'an issuer that would fill the lists of others',
    changed({ issuer: `${issuer.did}?${'x'.repeat(1_024)}` }),
    /issuer "" is not in the trusted/,
  ],
  ['an issuer whose id is a list', changed({ issuer: { id: [issuer.did] } }), /issuer "" is/],
  ['an issuer that is a list', changed({ issuer: [issuer.did] }), /not in the trusted/],
])

refuses('dates of the proof', PROOF, [
  [
    'an expiry of the proof that was not signed',
    inProof({ expires: '2026-11-21T12:30:00Z' }),
    /does not match/,
  ],
  ['a created that is not a date', inProof({ created: '2026-02-30T00:00:00Z' }), /created must be a date/],
  ['no created', inProof({ created: undefined }), /created must be a date/],
  [
    'a created that is not a date with a cryptosuite',
    inProof({ created: 'never' }, 'jcs'),
    /created must be a date/,
  ],
  ['an expires that is not a date', inProof({ expires: 'never' }), /expires must be a date/],
  [
    'a proof that expires before it was created',
    inProof({ expires: '2026-01-01T00:00:00Z' }),
    /expires before it was created/,
  ],
])

refuses('dates', DATES, [
  ['30 February', changed({ validUntil: '2027-02-30T00:00:00Z' }), /validUntil must be a date/],
  ['a date without a time zone', changed({ validFrom: '2026-11-01T00:00:00' }), /validFrom must be a date/],
  ['hour 24', changed({ validUntil: '2027-11-01T24:00:00Z' }), /must be a date/],
  ['an end before the start', changed({ validUntil: '2026-10-01T00:00:00Z' }), /ends .* before it starts/],
  ['VC 1.1 without issuanceDate', without('issuanceDate', 'v1'), /issuanceDate is missing/],
])

refuses(
  'a list of dates',
  ['temporal'],
  [['a date that is a list', changed({ validUntil: ['2027-11-01T00:00:00Z'] }), /it is a list/]],
)
