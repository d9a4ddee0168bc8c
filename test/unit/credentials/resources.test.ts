import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHECK_NAMES } from '../../../src/identity/credentials/verify/result.ts'
import { trustRegistry } from '../../../src/identity/credentials/trusted-issuers/issuer.ts'
import { createVerifier } from '../../../src/identity/credentials/verify/verifier.ts'
import {
  AGENT_DID,
  contexts,
  createTestIssuer,
  type Json,
  NOW,
  unsigned,
} from '../../support/credentials/issuer.ts'
import { seal } from '../../support/credentials/seal.ts'
import { expectFailures, verifierTrusting } from '../../support/credentials/verifying.ts'
import { worstInputs } from '../../support/credentials/worst-inputs.ts'

const issuer = createTestIssuer('auditor')
const { verify, close } = verifierTrusting(issuer)
const SUITE = 'Ed25519Signature2020'
const plain = unsigned('1.1', SUITE, issuer.did)
const worst = worstInputs(plain)
let signed: Json
beforeAll(async () => {
  signed = await seal(plain, SUITE, issuer)
})
afterAll(close)

const nest = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const text = (members: Json): string => JSON.stringify({ ...signed, ...members })
const inSubject = (members: Json): string =>
  text({ credentialSubject: { ...plain.credentialSubject, ...members } })
const cliques = (size: number): Json => ({
  skill: Array.from({ length: size }, (_, i) => ({
    id: `_:b${i}`,
    skill: Array.from({ length: size }, (_, j) => `_:b${j}`),
  })),
})

describe('what is not read at all fails every check', () => {
  test.each([
    [
      'a proofValue of 1 MB',
      () => text({ proof: { ...signed.proof, proofValue: 'z'.repeat(1_000_000) } }),
      /bytes, at most 32768/,
    ],
    [
      '2,000 proofs',
      () => text({ proof: Array.from({ length: 2_000 }, () => signed.proof) }),
      /bytes, at most 32768/,
    ],
    [
      '300 small proofs',
      () => text({ proof: Array.from({ length: 300 }, () => ({})) }),
      /\$\.proof has more than 256 items/,
    ],
    [
      'a list of 10,000 texts',
      () => inSubject({ skill: Array.from({ length: 10_000 }, () => 'x') }),
      /bytes, at most/,
    ],
    [
      'a list of 257 texts',
      () => inSubject({ skill: Array.from({ length: 257 }, () => 'x') }),
      /\$\.credentialSubject\.skill has more than 256 items/,
    ],
    [
      '513 values',
      () =>
        inSubject({
          skill: Array.from({ length: 250 }, () => 1),
          auditor: Array.from({ length: 250 }, () => 1),
        }),
      /more than 512 values/,
    ],
    ['a text of 5 MB', () => inSubject({ auditor: 'x'.repeat(5_000_000) }), /bytes, at most/],
    [
      'a text of 8,193 characters',
      () => inSubject({ auditor: 'x'.repeat(8_193) }),
      /has 8193 characters, at most 8192/,
    ],
    [
      'an IRI of 20 kB as key',
      () => inSubject({ [`https://a.example/${'x'.repeat(20_000)}`]: 1 }),
      /a key in \$\.credentialSubject has/,
    ],
    ['objects nested 2,000 deep', () => nest(2_000), /nested deeper than 10/],
    ['lists nested 10,000 deep', () => '['.repeat(10_000), /nested deeper than 10/],
    ['a number of 30 kB', () => '1'.repeat(30_000), /beyond 2\^53/],
  ])('%s', async (_, make, problem) => {
    const result = await verify(Buffer.from(make()))
    expectFailures(result, [...CHECK_NAMES], problem)
    expect(result).toMatchObject({
      vcHash: '',
      type: '',
      issuer: '',
      unreadable: expect.stringMatching(problem),
    })
  })

  test.each([
    ['a key twice', '{"type":["A"],"type":["B"]}', /\$ has the key "type" twice/],
    ['a key twice, once escaped', '{"role":"a","r\\u006fle":"b"}', /has the key "role" twice/],
    [
      '__proto__',
      '{"credentialSubject":{"__proto__":{"admin":true}}}',
      /\$\.credentialSubject has the key __proto__/,
    ],
    ['null', '{"termsOfUse":null}', /\$\.termsOfUse is null/],
    ['a lone surrogate', '{"name":"\\ud800"}', /\$\.name has a lone surrogate/],
    ['a lone surrogate in a key', '{"\\udc00":1}', /a key in \$ has a lone surrogate/],
    ['an integer beyond 2^53', '{"a":9007199254740993}', /\$\.a is a number beyond/],
    ['a number that is infinite', '{"a":1e999}', /beyond/],
    ['a control character', '{"a":"\n"}', /is not JSON at character/],
    ['a number with a leading zero', '{"a":01}', /is not JSON at character/],
    ['a comma too many', '{"a":1,}', /is not JSON at character/],
    ['more after the end', '{} {}', /is not JSON at character 4/],
    ['a comment', '{/**/}', /is not JSON at character/],
    ['nothing', '', /is not JSON at character 1/],
    ['a list', '[]', /is not a JSON object/],
    ['a text', '"credential"', /is not a JSON object/],
    ['a byte order mark', '\uFEFF{}', /is not JSON at character 1/],
  ])('%s', async (_, json, problem) => {
    expectFailures(await verify(Buffer.from(json)), [...CHECK_NAMES], problem)
    expect(await verify(Buffer.from(json))).toMatchObject({ unreadable: expect.stringMatching(problem) })
  })

  test('bytes that are not UTF-8', async () => {
    expect(await verify(Uint8Array.of(0x7b, 0xff, 0x7d))).toMatchObject({ unreadable: 'it is not UTF-8' })
  })

  test('values that came from a parser of another mind', async () => {
    expect(await verify(JSON.parse('{"credentialSubject":{"__proto__":{"admin":true}}}'))).toMatchObject({
      unreadable: expect.stringMatching(/__proto__/),
    })
    expect(await verify(undefined)).toMatchObject({ unreadable: expect.stringMatching(/not JSON/) })
    expect(await verify({ amount: 1n })).toMatchObject({ unreadable: 'it is not JSON' })
    expect(await verify('text')).toMatchObject({ unreadable: 'it is not a JSON object' })
  })
})

describe('what is read and refused before any signature', () => {
  test.each([
    [
      'a proofValue of 8 kB',
      () => ({ ...signed, proof: { ...signed.proof, proofValue: `z${'2'.repeat(8_000)}` } }),
      ['proof_verified'],
      /multibase base-58/,
    ],
    [
      'a proofValue of 101 characters',
      () => ({ ...signed, proof: { ...signed.proof, proofValue: `z${'2'.repeat(100)}` } }),
      ['proof_verified'],
      /multibase base-58/,
    ],
    [
      'a clique of blank nodes',
      () => JSON.parse(inSubject(cliques(10))),
      ['context', 'proof_verified'],
      /is a blank node name/,
    ],
  ] as const)('%s', async (_, make, failing, detail) => {
    expect.hasAssertions()
    expectFailures(await verify(make()), [...failing], detail)
  })

  test.each(['a binary tree of blank nodes', 'nested blank nodes'])(
    '%s meets the work factor',
    async (name) => {
      expect.hasAssertions()
      const proof = signed.proof
      expectFailures(
        await verify({ ...worst.get(name), proof }),
        ['proof_verified'],
        /Maximum deep iterations exceeded/,
      )
    },
  )
})

test('eddsa-jcs-2022, which has no JSON-LD, needs no thread', async () => {
  const suite = 'eddsa-jcs-2022'
  const verifier = createVerifier({ contexts, size: 0, maxWaitMs: 1 })
  const signed = await issuer.sign(unsigned('2.0', suite, issuer.did), suite)
  const verify = async (credential: Json): Promise<boolean> => {
    const about = { agentDid: AGENT_DID, now: NOW, trust: trustRegistry([issuer.trusted]) }
    return (await verifier.verify(credential, about)).proofVerified
  }
  expect([await verify(signed), await verify({ ...signed, id: 'urn:uuid:other' })]).toEqual([true, false])
  await verifier.close()
})

describe('the threads', () => {
  const costly = { ...worst.get('nodes with credentials inside') }
  const trust = trustRegistry([issuer.trusted])
  const options = { agentDid: AGENT_DID, now: NOW, trust }

  test('one that takes too long is ended and replaced; that is no verdict and is not kept', async () => {
    const verifier = createVerifier({ contexts, size: 1, limitMs: 1 })
    const credential = { ...costly, proof: signed.proof }
    for (let attempt = 0; attempt < 2; attempt++) {
      const result = await verifier.verify(credential, options)
      expectFailures(
        result,
        ['proof_verified'],
        /^no verdict: the verification was stopped, it took longer than 1 ms$/,
      )
      expect(result.verdict.signaturesValid).toBeNull()
    }
    await verifier.close()
  })

  test('too many at once are refused with 503, and those before are answered', async () => {
    const verifier = createVerifier({ contexts, size: 1, limitMs: 5_000, maxWaiting: 2 })
    const copies = Array.from({ length: 5 }, (_, i) => ({ ...signed, id: `urn:uuid:${i}` }))
    const answers = await Promise.allSettled(copies.map((copy) => verifier.verify(copy, options)))
    const refused = answers.filter(({ status }) => status === 'rejected')
    expect(answers.slice(0, 2).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
    expect(refused.length).toBeGreaterThanOrEqual(2)
    expect(refused).toEqual(
      refused.map(() =>
        expect.objectContaining({ reason: expect.objectContaining({ code: 'VERIFIER_BUSY', status: 503 }) }),
      ),
    )
    expect(await verifier.verify(signed, options)).toMatchObject({ proofVerified: true })
    await verifier.close()
  })

  test('what waits when the service stops is told so', async () => {
    const verifier = createVerifier({ contexts, size: 1 })
    const waiting = verifier.verify(signed, options)
    await verifier.close()
    expectFailures(await waiting, ['proof_verified'], /no verdict: .*the service stops/)
    await expect(verifier.verify({ ...signed, id: 'urn:x' }, options)).rejects.toMatchObject({
      code: 'VERIFIER_BUSY',
    })
  })
})
