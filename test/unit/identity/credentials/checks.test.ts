import { describe, expect, test } from 'vitest'
import { pubkey } from '@agent-registry/solana'
import type { CredentialState, CredentialStatus, Verdict } from '../../../../src/domain/credential-verdict.ts'
import { type TrustedIssuer, trustRegistry } from '../../../../src/identity/credentials/trusted-issuers.ts'
import { checkTemporal, mainType } from '../../../../src/identity/credentials/verify/checks/structure.ts'
import { hasKeys, trustProblem } from '../../../../src/identity/credentials/verify/checks/trust.ts'
import {
  evaluateVerdict,
  STATUS_HOLDS_MS,
} from '../../../../src/identity/credentials/verify/evaluate-verdict.ts'
import { createTestIssuer, type Json, NOW, unsigned } from '../../../support/identity/issuer.ts'
import { seal } from '../../../support/identity/seal.ts'
import { verifierTrusting } from '../../../support/identity/verifying.ts'

const issuer = createTestIssuer('auditor')
const verify = verifierTrusting(issuer)

const AUDIT = 'SecurityAuditCredential'
const BASE = 'VerifiableCredential'

test.each<[Json, string]>([
  [[BASE, 'Another', AUDIT], AUDIT],
  [[BASE, 'Second', 'First'], 'First'],
  [[BASE], BASE],
  [BASE, BASE],
  [[7], ''],
  [undefined, ''],
])('a credential of type %j is shown as %j', (type, shown) => {
  expect(mainType({ type })).toBe(shown)
})

test.each<[string[] | null, string[] | null, string | null]>([
  [null, [AUDIT], null],
  [[AUDIT], [AUDIT], null],
  [[AUDIT], [AUDIT, 'Other'], 'Other'],
  [[AUDIT], ['Other', AUDIT], 'Other'],
  [[AUDIT], [], BASE],
  [[BASE], [], null],
  [[], [AUDIT], AUDIT],
  [[AUDIT], null, null],
])('an issuer for %j may issue %j, except %j', (allowedTypes, types, forbidden) => {
  const trust = trustRegistry([{ ...issuer.trusted, allowedTypes }])
  const problem = trustProblem({ issuer: issuer.did, types }, trust, NOW)
  expect(problem).toBe(
    forbidden && `issuer ${issuer.did} is not trusted for the type ${JSON.stringify(forbidden)}`,
  )
})

test('an issuer has all keys of a proof, under the same names', () => {
  const [key] = issuer.trusted.keys as [TrustedIssuer['keys'][number]]
  const other = { ...key, key: pubkey(createTestIssuer('other').keypair.publicKey.toBase58()) }
  const renamed = { ...key, verificationMethod: `${issuer.did}#other` }
  const both = { ...issuer.trusted, keys: [key, { ...other, verificationMethod: 'urn:x' }] }
  expect([[], [key], [key, key]].map((keys) => hasKeys(both, keys))).toEqual([true, true, true])
  expect([[other], [renamed], [key, renamed], [renamed, key]].map((keys) => hasKeys(both, keys))).toEqual(
    Array(4).fill(false),
  )
  expect(hasKeys(undefined, [key])).toBe(false)
})

test.each([
  [null, null, 'valid without expiry'],
  ['2026-11-01', null, 'valid from 2026-11-01 without expiry'],
  [null, '2027-11-01', 'valid until 2027-11-01'],
  ['2026-11-01', '2027-11-01', 'valid from 2026-11-01 until 2027-11-01'],
])('a credential from %j until %j is %s', (from, until, detail) => {
  expect(checkTemporal({ validity: { from, until }, problem: null }, NOW)).toMatchObject({
    passed: true,
    detail,
  })
})

describe('what is stored about a credential', () => {
  const valid = { wellFormed: true, datesValid: true, signaturesValid: true }
  test.each<[string, Json, Json]>([
    ['is valid', {}, valid],
    ['has another subject', { credentialSubject: { id: 'did:sol:1' } }, { ...valid, wellFormed: false }],
    ['has expired', { validUntil: '2026-11-20T00:00:00Z' }, valid],
    ['has no valid dates', { validUntil: 'never' }, { ...valid, datesValid: false }],
    ['has no type', { type: [] }, { ...valid, wellFormed: false, signaturesValid: null }],
    ['has no context', { '@context': [] }, { ...valid, wellFormed: false, signaturesValid: null }],
  ])('that %s', async (_, change, verdict) => {
    const suite = 'eddsa-jcs-2022'
    const sealed = await seal({ ...unsigned('2.0', suite, issuer.did), ...change }, suite, issuer)
    expect((await verify(sealed)).verdict).toMatchObject(verdict)
    const noProof = { ...verdict, wellFormed: false, signaturesValid: null }
    expect((await verify({ ...sealed, proof: [] })).verdict).toMatchObject(noProof)
    const unsupported = { ...sealed, proof: { ...sealed.proof, proofPurpose: 'x' } }
    const refused = verdict.signaturesValid === null ? null : false
    expect((await verify(unsupported)).verdict.signaturesValid).toBe(refused)
  })
})

describe('what a stored verdict means', () => {
  const past = { from: null, until: new Date(NOW - 600_000).toISOString() }
  const bounds = { from: null, until: null }
  const verdict: Verdict = {
    rulesVersion: 'rules',
    wellFormed: true,
    datesValid: true,
    issuer: issuer.did,
    types: [AUDIT],
    validity: bounds,
    proofValidity: bounds,
    proofKeys: [...issuer.trusted.keys],
    signaturesValid: true,
    hasStatus: false,
  }
  const statusOf = (state: CredentialState, age = 0): CredentialStatus => ({
    state: state as CredentialStatus['state'],
    checkedAt: new Date(NOW - age).toISOString(),
  })
  const evaluate = (change: Partial<Verdict>, status: CredentialStatus | null, trusted: object | null) =>
    evaluateVerdict({ ...verdict, ...change }, status, {
      now: NOW,
      rulesVersion: 'rules',
      trust: trustRegistry(trusted === null ? [] : [{ ...issuer.trusted, ...trusted }]),
    })
  const all = {
    structurallyValid: true,
    proofVerified: true,
    active: true,
    state: null,
    needsVerification: false,
  }
  const broken = { ...all, structurallyValid: false, active: false }
  const notSigned = { ...all, proofVerified: false }

  test.each<[string, Partial<Verdict>, object | null, object]>([
    ['of a valid credential', {}, {}, all],
    ['of one that is not well-formed', { wellFormed: false }, {}, broken],
    ['of one with invalid dates', { datesValid: false }, {}, broken],
    ['of one that has expired', { validity: past }, {}, broken],
    ['of one whose proof has expired', { proofValidity: past }, {}, notSigned],
    ['of one with a wrong signature', { signaturesValid: false }, {}, notSigned],
    ['that was never verified', { signaturesValid: null }, {}, { ...notSigned, needsVerification: true }],
    ['of other rules', { rulesVersion: 'older' }, {}, { ...notSigned, needsVerification: true }],
    ['of an issuer who has no key any more', {}, { keys: [] }, { ...notSigned, needsVerification: true }],
    ['of an issuer who is not trusted', {}, null, notSigned],
    ['of an issuer who is disabled', {}, { enabled: false }, notSigned],
    ['of a type that its issuer may not issue', {}, { allowedTypes: ['Other'] }, notSigned],
    ['of a disabled issuer, never verified', { signaturesValid: null }, { enabled: false }, notSigned],
  ])('%s', (_, change, trusted, expected) => {
    expect(evaluate(change, null, trusted)).toEqual(expected)
    // A stored status does not count for a credential without credentialStatus.
    expect(evaluate(change, statusOf('revoked'), trusted)).toEqual(expected)
  })

  test.each<[string, CredentialStatus | null, CredentialState, Partial<typeof all>]>([
    ['valid', statusOf('valid', STATUS_HOLDS_MS), 'valid', {}],
    ['valid for too long', statusOf('valid', STATUS_HOLDS_MS + 1), 'unknown', { proofVerified: false }],
    ['never known', null, 'unknown', { proofVerified: false }],
    [
      'revoked',
      statusOf('revoked', 10 * STATUS_HOLDS_MS),
      'revoked',
      { proofVerified: false, active: false },
    ],
    ['suspended', statusOf('suspended', 0), 'suspended', { proofVerified: false, active: false }],
  ])('while its status is %s', (_, status, state, expected) => {
    expect(evaluate({ hasStatus: true }, status, {})).toEqual({ ...all, state, ...expected })
    expect(evaluate({ hasStatus: true, wellFormed: false }, status, {})).toMatchObject({ active: false })
  })
})
