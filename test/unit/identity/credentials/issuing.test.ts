import { afterAll, describe, expect, test } from 'vitest'
import {
  AGENT_CREDENTIALS_V1,
  CREDENTIALS_V2,
  ED25519_SIGNATURE_2020_V1,
} from '../../../../src/identity/credentials/contexts/pinned.ts'
import { issueCredential } from '../../../../src/identity/credentials/issue-credential.ts'
import { trustRegistry } from '../../../../src/identity/credentials/trusted-issuers.ts'
import { CHECK_NAMES } from '../../../../src/identity/credentials/verify/result.ts'
import { createVerifier } from '../../../../src/identity/credentials/verify/verifier.ts'
import {
  AGENT_DID,
  contexts,
  createTestIssuer,
  loaderOf,
  MODELS,
  NOW,
  SUITES,
  unsigned,
} from '../../../support/identity/issuer.ts'
import { verifiedByDigitalBazaar } from '../../../support/identity/oracle.ts'

const issuer = createTestIssuer('auditor')
const loader = loaderOf(issuer.documents)
const verifier = createVerifier({ contexts, size: 1, limitMs: 5_000 })
const trust = trustRegistry([issuer.trusted])
const verify = (raw: unknown) => verifier.verify(raw, { agentDid: AGENT_DID, now: NOW, trust })
afterAll(() => verifier.close())

describe.each(MODELS)('VC %s', (model) => {
  test.each(SUITES)(
    'a credential signed by the Digital Bazaar stack with %s passes every check',
    async (suite) => {
      const credential = await issuer.sign(unsigned(model, suite, issuer.did), suite)
      const result = await verify(credential)
      expect(result.checks.filter(({ passed }) => !passed)).toEqual([])
      expect(result.checks.map(({ check }) => check)).toEqual(CHECK_NAMES)
      expect(result).toMatchObject({
        structurallyValid: true,
        proofVerified: true,
        type: 'SecurityAuditCredential',
        issuer: issuer.did,
        vcHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        validFrom: '2026-11-01T00:00:00.000Z',
        validUntil: '2027-11-01T00:00:00.000Z',
      })
      expect(await verify(Buffer.from(JSON.stringify(credential, null, 2)))).toEqual(result)
    },
  )
})

test.each(SUITES)(
  'the Digital Bazaar stack and the service accept a credential that the command line issued with %s',
  async (suite) => {
    const credential = await issueCredential({
      keypair: issuer.keypair,
      type: 'CapabilityCredential',
      subjectDid: AGENT_DID,
      suite,
      id: 'urn:uuid:0c4a2d9e-6a0b-4f39-8c2f-1f3a64d4b7b0',
      now: NOW,
      validUntil: '2027-01-01T00:00:00Z',
      claims: { skill: ['negotiation', 'escrow'], skillLevel: 'expert' },
      contexts,
    })
    expect(credential.validUntil).toBe('2027-01-01T00:00:00Z')
    expect(await verifiedByDigitalBazaar(credential, loader)).toBe(true)
    expect(await verify(credential)).toMatchObject({
      structurallyValid: true,
      proofVerified: true,
      type: 'CapabilityCredential',
    })
    const altered = { ...credential, validUntil: '2028-01-01T00:00:00Z' }
    expect(await verifiedByDigitalBazaar(altered, loader)).toBe(false)
    expect(await verify(altered)).toMatchObject({ structurallyValid: true, proofVerified: false })
  },
)

test.each(SUITES)('a credential can be issued with %s without expiry and claims', async (suite) => {
  const credential = await issueCredential({
    keypair: issuer.keypair,
    type: 'IdentityCredential',
    subjectDid: AGENT_DID,
    suite,
    id: 'urn:uuid:1',
    now: NOW + 999,
    validUntil: null,
    contexts,
  })
  const urls = [
    CREDENTIALS_V2,
    AGENT_CREDENTIALS_V1,
    ...(suite === 'Ed25519Signature2020' ? [ED25519_SIGNATURE_2020_V1] : []),
  ]
  expect(credential).toEqual({
    '@context': urls,
    id: 'urn:uuid:1',
    type: ['VerifiableCredential', 'IdentityCredential'],
    issuer: issuer.did,
    validFrom: '2026-11-21T12:00:00Z',
    credentialSubject: { id: AGENT_DID },
    proof: {
      ...(suite === 'Ed25519Signature2020'
        ? { type: suite }
        : { type: 'DataIntegrityProof', cryptosuite: suite }),
      created: '2026-11-21T12:00:00Z',
      verificationMethod: issuer.vm,
      proofPurpose: 'assertionMethod',
      ...(suite === 'eddsa-jcs-2022' && { '@context': urls }),
      proofValue: expect.stringMatching(/^z/),
    },
  })
  expect(await verify(credential)).toMatchObject({ proofVerified: true, validUntil: null })
})
