import bs58 from 'bs58'
import { describe, expect, test } from 'vitest'
import { pubkeyFromBytes } from '@agent-registry/solana'
import { trustRegistry } from '../../../../src/identity/credentials/trusted-issuers.ts'
import type { Suite } from '../../../../src/identity/credentials/verify/crypto/verify-proofs.ts'
import { createVerifier } from '../../../../src/identity/credentials/verify/verifier.ts'
import {
  AGENT_DID,
  contexts,
  CREATED,
  createTestIssuer,
  type Json,
  loaderOf,
  NOW,
  SUITES,
  unsigned,
} from '../../../support/identity/issuer.ts'
import { verifiedByDigitalBazaar } from '../../../support/identity/oracle.ts'
import { seal } from '../../../support/identity/seal.ts'
import { expectFailures, verifierTrusting } from '../../../support/identity/verifying.ts'

/** The order of the base point. Some verifiers also accept a signature with S + L. */
const L = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n
const issuer = createTestIssuer('auditor')
const verify = verifierTrusting(issuer)
const loader = loaderOf(issuer.documents)
const SUITE = 'Ed25519Signature2020'
const credential = (model: '1.1' | '2.0', dates: Json): Json => {
  const plain = unsigned(model, SUITE, issuer.did)
  for (const term of ['issuanceDate', 'expirationDate', 'validFrom', 'validUntil']) delete plain[term]
  return { ...plain, ...dates }
}

describe('signed dates', () => {
  test.each([
    ['2.0', { validUntil: '2026-11-21T11:55:00Z' }, null],
    ['2.0', { validUntil: '2026-11-21T11:54:59.999Z' }, /the credential expired at 2026-11-21T11:54:59.999Z/],
    ['2.0', { validFrom: '2026-11-21T12:05:00Z' }, null],
    ['2.0', { validFrom: '2026-11-21T12:05:00.001Z' }, /not valid before/],
    ['2.0', { validFrom: '2026-11-21T14:04:00+02:00' }, null],
    ['2.0', { validFrom: '2026-11-21T12:00:00Z', validUntil: '2026-11-21T12:00:00Z' }, null],
    [
      '2.0',
      { validFrom: '2026-11-21T12:00:00.001Z', validUntil: '2026-11-21T12:00:00Z' },
      /before it starts/,
    ],
    ['1.1', { issuanceDate: '2026-12-24T00:00:00Z', validFrom: '2026-01-01T00:00:00Z' }, /not valid before/],
    ['1.1', { issuanceDate: '2026-01-01T00:00:00Z', validFrom: '2026-12-24T00:00:00Z' }, /not valid before/],
    ['2.0', {}, null],
    ['1.1', { issuanceDate: '2026-01-01T00:00:00Z' }, null],
    ['1.1', { issuanceDate: '2026-01-01T00:00:00Z', expirationDate: '2026-11-20T00:00:00Z' }, /expired at/],
    [
      '1.1',
      { issuanceDate: '2026-01-01T00:00:00Z', validUntil: '2026-11-20T00:00:00Z' },
      /expired at 2026-11-20/,
    ],
    ['1.1', { issuanceDate: '2026-12-24T00:00:00Z' }, /not valid before/],
    [
      '1.1',
      {
        issuanceDate: '2026-01-01T00:00:00Z',
        expirationDate: '2030-01-01T00:00:00Z',
        validUntil: '2026-11-20T00:00:00Z',
      },
      /expired at 2026-11-20/,
    ],
  ] as const)('VC %s %j', async (model, dates, problem) => {
    const result = await verify(await seal(credential(model, dates), SUITE, issuer))
    const temporal = result.checks.find(({ check }) => check === 'temporal')
    expect([temporal?.passed, result.structurallyValid, result.proofVerified]).toEqual([
      problem === null,
      problem === null,
      true,
    ])
    expect(temporal?.detail).toMatch(problem ?? /^valid /)
  })

  test('the Digital Bazaar stack accepts a VC 1.1 credential after its validUntil', async () => {
    const past = await seal(
      credential('1.1', { issuanceDate: '2026-01-01T00:00:00Z', validUntil: '2026-11-20T00:00:00Z' }),
      SUITE,
      issuer,
    )
    expect(await verifiedByDigitalBazaar(past, loader)).toBe(true)
  })

  test.each([
    ['an expired proof', { expires: '2026-11-21T11:54:00Z' }, /the proof expired at/],
    ['a proof created in the future', { created: '2026-11-21T12:06:00Z' }, /the proof is not valid before/],
  ])('%s is refused, although the Digital Bazaar stack accepts it', async (_, proof, detail) => {
    const sealed = await seal(credential('2.0', {}), SUITE, issuer, proof)
    expectFailures(await verify(sealed), ['proof_verified'], detail)
    expect(await verifiedByDigitalBazaar(sealed, loader)).toBe(true)
  })
})

describe('years outside 1 to 9999 are refused', () => {
  test.each(['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01'])(
    '%s',
    async (validFrom) => {
      const result = await verify(await seal(credential('2.0', { validFrom }), SUITE, issuer))
      expect(result.validFrom).toBeNull()
      expectFailures(result, ['temporal'], /validFrom must be a date and time with a time zone/)
    },
  )

  test('a second proof that ends in year 10000 does not hide an expired proof', async () => {
    const plain = credential('2.0', {})
    const proofs = await Promise.all(
      ['2026-11-20T00:00:00Z', '9999-12-31T23:59:59-14:00'].map(
        async (expires) =>
          (await seal(plain, SUITE, issuer, { created: '2026-11-01T00:00:00Z', expires })).proof,
      ),
    )
    const { proofVerified } = await verify({ ...plain, proof: proofs })
    expect(proofVerified).toBe(false)
  })
})

test('an inner object with the id of the credential cannot hide its expiry', async () => {
  const plain = credential('2.0', { validUntil: '2026-11-01T00:00:00Z' })
  const signed = await seal(
    { ...plain, evidence: { id: plain.id, type: 'VerifiableCredential' } },
    SUITE,
    issuer,
  )
  const { validUntil, ...moved } = signed
  const forged = { ...moved, evidence: { ...signed.evidence, validUntil } }
  expect(await verifiedByDigitalBazaar(forged, loader)).toBe(true)
  expectFailures(
    await verify(forged),
    ['context', 'proof_verified'],
    /\$\.evidence repeats the id .* of an outer object/,
  )
})

describe('signatures', () => {
  test.each(SUITES)('all proofs of %s must be valid', async (suite) => {
    const plain = unsigned('2.0', suite, issuer.did)
    const [first, second] = [
      await seal(plain, suite, issuer),
      await seal(plain, suite, issuer, { created: '2026-11-20T00:00:00Z' }),
    ]
    const result = await verify({ ...plain, proof: [first.proof, second.proof] })
    expect(result).toMatchObject({ structurallyValid: true, proofVerified: true })
    expectFailures(
      await verify({ ...plain, proof: [first.proof, { ...first.proof, created: '2026-11-20T00:00:00Z' }] }),
      ['proof_verified'],
      /proof 2 does not match/,
    )
  })

  test('a signature with S + L instead of S is refused', async () => {
    expect.hasAssertions()
    const sealed = await seal(credential('2.0', {}), SUITE, issuer)
    const bytes = bs58.decode(sealed.proof.proofValue.slice(1))
    let s = bytes.subarray(32).reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n) + L
    for (let i = 32; i < 64; i++, s >>= 8n) bytes[i] = Number(s & 0xffn)
    sealed.proof.proofValue = `z${bs58.encode(bytes)}`
    expectFailures(await verify(sealed), ['proof_verified'], /does not match/)
  })

  test.each([
    ['the identity', [1]],
    ['zero bytes, the System Program', []],
    ['the identity with its sign bit set', [1, 0x80]],
  ])(
    'a small-order key is refused even if the registry contains it: %s',
    async (_, [first = 0, last = 0]) => {
      expect.hasAssertions()
      const point = new Uint8Array(32)
      point[0] = first
      point[31] = last
      const did = `did:sol:${pubkeyFromBytes(point)}`
      const vm = `${did}#key-1`
      const trust = trustRegistry([
        { ...issuer.trusted, did, keys: [{ verificationMethod: vm, key: pubkeyFromBytes(point) }] },
      ])
      const forged = {
        ...unsigned('2.0', 'eddsa-jcs-2022', did),
        proof: {
          type: 'DataIntegrityProof',
          cryptosuite: 'eddsa-jcs-2022',
          verificationMethod: vm,
          proofPurpose: 'assertionMethod',
          // R is the identity and S is zero, which is valid for every message.
          proofValue: `z${bs58.encode(Uint8Array.of(1, ...new Uint8Array(63)))}`,
        },
      }
      const verifier = createVerifier({ contexts, size: 1 })
      expectFailures(
        await verifier.verify(forged, { agentDid: AGENT_DID, now: NOW, trust }),
        ['proof_verified'],
        /small-order key/,
      )
      await verifier.close()
    },
  )

  test('a small-order nonce is refused', async () => {
    expect.hasAssertions()
    const sealed = await seal(credential('2.0', {}), SUITE, issuer)
    const bytes = bs58.decode(sealed.proof.proofValue.slice(1))
    bytes.fill(0, 0, 32)
    sealed.proof.proofValue = `z${bs58.encode(bytes)}`
    expectFailures(await verify(sealed), ['proof_verified'], /does not match/)
  })
})

describe('accepted variants', () => {
  test('four proofs of different suites, which are valid from the latest start to the earliest end', async () => {
    const plain = unsigned('2.0', SUITE, issuer.did)
    const day = (date: number): string => `2026-11-${date}T00:00:00.000Z`
    const proofs = await Promise.all(
      (
        [
          ['eddsa-rdfc-2022', 10, 27],
          [SUITE, 12, 26],
          ['eddsa-jcs-2022', 11, 25],
          ['eddsa-jcs-2022', 10, 28],
        ] as const
      ).map(
        async ([suite, created, expires]) =>
          (await seal(plain, suite, issuer, { created: day(created), expires: day(expires) })).proof,
      ),
    )
    const result = await verify({ ...plain, proof: proofs })
    expect(result).toMatchObject({
      proofVerified: true,
      verdict: { proofValidity: { from: day(12), until: day(25) } },
    })
    expect(result.checks.slice(-2).map(({ detail }) => detail)).toEqual([
      '4 proofs are present',
      `signed by ${issuer.did}, a trusted issuer (eddsa-rdfc-2022, ${SUITE}, eddsa-jcs-2022)`,
    ])
    const forged = { ...proofs[3], created: day(11) }
    expectFailures(
      await verify({ ...plain, proof: [...proofs.slice(0, 3), forged] }),
      ['proof_verified'],
      /proof 4 does not match/,
    )
  })

  test.each<[string, Suite, (contexts: string[]) => Json]>([
    ['without created and expires', 'eddsa-jcs-2022', () => ({ created: undefined })],
    ['that ends when it was created', SUITE, () => ({ expires: CREATED })],
    ['with the contexts of the credential', 'eddsa-rdfc-2022', (contexts) => ({ '@context': contexts })],
    ['with the first context', 'eddsa-jcs-2022', (contexts) => ({ '@context': contexts.slice(0, 1) })],
  ])('a proof %s', async (_, suite, change) => {
    const plain = unsigned('2.0', suite, issuer.did)
    const proof = change(plain['@context'])
    const sealed = await seal({ ...plain, ...('@context' in proof && proof) }, suite, issuer, proof)
    // The context of a proof replaces that of the credential in the signed data.
    const credential = { ...sealed, '@context': plain['@context'] }
    expect(await verify(credential, Date.parse(CREATED))).toMatchObject({
      structurallyValid: true,
      proofVerified: true,
    })
  })

  test.each(['urn:x', undefined])(
    'keys of 128 letters, digits, hyphens and underscores, and an id that inner objects repeat, beside the id %s',
    async (id) => {
      const suite = 'eddsa-jcs-2022'
      const inner = { ['a'.padEnd(128, 'Z9-_')]: { id: 'urn:a', value: [{ id: 'urn:a' }, {}] } }
      const plain = { ...unsigned('2.0', suite, issuer.did), ...inner, id }
      expect(await verify(await seal(plain, suite, issuer))).toMatchObject({
        structurallyValid: true,
        proofVerified: true,
      })
    },
  )

  test('the issuer can be an object, and claims can be texts with a language, numbers and booleans', async () => {
    const plain = {
      ...unsigned('2.0', SUITE, issuer.did),
      issuer: { id: issuer.did, name: 'Ossian Labs' },
      name: { '@value': 'تدقيق', '@language': 'ar', '@direction': 'rtl' },
    }
    plain.credentialSubject = {
      ...plain.credentialSubject,
      skillLevel: 3,
      complianceScope: true,
      complianceVersion: 1.5,
    }
    const sealed = await seal(plain, SUITE, issuer)
    expect(await verify(sealed)).toMatchObject({
      structurallyValid: true,
      proofVerified: true,
      issuer: issuer.did,
    })
    expect(await verifiedByDigitalBazaar(sealed, loader)).toBe(true)
  })

  test('another order of contexts and types changes the hash of the document, but not the signed data', async () => {
    const sealed = await seal(credential('2.0', {}), SUITE, issuer)
    const [base, ...more] = sealed['@context']
    const other = { ...sealed, '@context': [base, ...more.toReversed()], type: sealed.type.toReversed() }
    const [one, two] = [await verify(sealed), await verify(other)]
    expect([one.proofVerified, two.proofVerified]).toEqual([true, true])
    expect(two.vcHash).not.toBe(one.vcHash)
  })
})
