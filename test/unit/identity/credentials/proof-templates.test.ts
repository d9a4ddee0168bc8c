import { expect, test } from 'vitest'
import {
  AGENT_CREDENTIALS_V1,
  CREDENTIALS_V1,
  CREDENTIALS_V2,
  DATA_INTEGRITY_V2,
  ED25519_SIGNATURE_2020_V1,
} from '../../../../src/identity/credentials/contexts/pinned.ts'
import {
  createCanonize,
  withProofTemplates,
} from '../../../../src/identity/credentials/verify/crypto/verify-proofs.ts'
import { contexts, type Json } from '../../../support/identity/issuer.ts'

const plain = createCanonize(contexts)
let canonizations = 0
const templated = withProofTemplates((document) => {
  canonizations += 1
  return plain(document)
})
const outcome = (text: Promise<string>): Promise<string> => text.catch((error: Error) => error.message)

const lists = [CREDENTIALS_V1, CREDENTIALS_V2].flatMap((base) =>
  [
    [],
    [ED25519_SIGNATURE_2020_V1],
    [DATA_INTEGRITY_V2],
    [ED25519_SIGNATURE_2020_V1, DATA_INTEGRITY_V2],
    [DATA_INTEGRITY_V2, ED25519_SIGNATURE_2020_V1],
  ].flatMap((suites) => [
    [base, ...suites],
    [base, AGENT_CREDENTIALS_V1, ...suites],
    [base, ...suites, AGENT_CREDENTIALS_V1],
  ]),
)
const suites = [
  { type: 'Ed25519Signature2020' },
  { type: 'DataIntegrityProof', cryptosuite: 'eddsa-rdfc-2022' },
  { type: 'DataIntegrityProof', cryptosuite: 'eddsa-jcs-2022' },
]
const members: Json[] = [
  { created: '2026-11-21T11:00:00Z', verificationMethod: 'did:sol:abc#key-1' },
  { created: '1999-01-01T00:00:00.123456789+14:00', verificationMethod: 'did:web:a.test:b#key_2' },
  { created: '2000-01-01T00:00:00Z', verificationMethod: 'did:sol:placeholder#key-1' },
  { created: '2026-11-21T11:00:00Z', verificationMethod: 'did:web:a.test%3A8443#"<>' },
  {
    created: '2026-11-21T11:00:00Z',
    verificationMethod: 'did:sol:abc#key-1',
    expires: '2027-01-01T00:00:00Z',
  },
  { created: '2026-11-21T11:00:00Z', verificationMethod: 'did:sol:abc#key-1', nonce: 'x', id: 'urn:x' },
  { created: '2026-11-21T11:00:00Z', verificationMethod: 'did:sol:abc#key-1', unknown: 'x' },
  { created: '"\n', verificationMethod: 'did:sol:abc#key-1' },
  { verificationMethod: 'did:sol:abc#key-1' },
]

test('templates do not change the canonical proof options or the errors', async () => {
  for (const list of lists) {
    for (const suite of suites) {
      for (const each of members) {
        const options = { ...suite, proofPurpose: 'assertionMethod', ...each, '@context': list }
        expect(await outcome(templated(options))).toBe(await outcome(plain(options)))
      }
    }
  }
})

test('usual proof options are canonicalised once per context list and suite', async () => {
  const fresh = { '@context': [CREDENTIALS_V2], type: 'DataIntegrityProof', cryptosuite: 'eddsa-rdfc-2022' }
  const options = { ...fresh, proofPurpose: 'authentication' }
  canonizations = 0
  const texts = await Promise.all(members.slice(0, 1).map((each) => templated({ ...options, ...each })))
  texts.push(await templated({ ...options, ...members[1] }))
  expect(new Set(texts).size).toBe(2)
  expect(canonizations).toBe(1)
})
