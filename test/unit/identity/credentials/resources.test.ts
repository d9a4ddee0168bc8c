import { Worker } from 'node:worker_threads'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { CHECK_NAMES, getRulesVersion } from '../../../../src/identity/credentials/verify/result.ts'
import { trustRegistry } from '../../../../src/identity/credentials/trusted-issuers.ts'
import {
  createVerifier,
  createVerifierMetrics,
} from '../../../../src/identity/credentials/verify/verifier.ts'
import { createMetrics } from '../../../../src/platform/metrics/metrics.ts'
import {
  AGENT_DID,
  contexts,
  createTestIssuer,
  type Json,
  NOW,
  unsigned,
} from '../../../support/identity/issuer.ts'
import { seal } from '../../../support/identity/seal.ts'
import { expectFailures, verifierTrusting } from '../../../support/identity/verifying.ts'
import { worstInputs } from '../../../support/identity/worst-inputs.ts'

const issuer = createTestIssuer('auditor')
const verify = verifierTrusting(issuer)
const SUITE = 'Ed25519Signature2020'
const plain = unsigned('1.1', SUITE, issuer.did)
const worst = worstInputs(plain)
let signed: Json
beforeAll(async () => {
  signed = await seal(plain, SUITE, issuer)
})

const nest = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const verifierOf = (options: Partial<Parameters<typeof createVerifier>[0]> = {}) =>
  createVerifier({ contexts, size: 1, limitMs: 5_000, ...options })
const text = (members: Json): string => JSON.stringify({ ...signed, ...members })
const inSubject = (members: Json): string =>
  text({ credentialSubject: { ...plain.credentialSubject, ...members } })
const items = (length: number, item: Json = 1): Json[] => Array.from({ length }, () => item)
const cliques = (size: number): Json => ({
  skill: Array.from({ length: size }, (_, i) => ({
    id: `_:b${i}`,
    skill: Array.from({ length: size }, (_, j) => `_:b${j}`),
  })),
})

describe('input that cannot be parsed fails every check', () => {
  test.each([
    [
      'a proofValue of 1 MB',
      () => text({ proof: { ...signed.proof, proofValue: 'z'.repeat(1_000_000) } }),
      /bytes; the limit is 32768/,
    ],
    ['2,000 proofs', () => text({ proof: items(2_000, signed.proof) }), /bytes; the limit is 32768/],
    ['300 small proofs', () => text({ proof: items(300, {}) }), /\$\.proof has more than 256 items/],
    ['a list of 10,000 strings', () => inSubject({ skill: items(10_000, 'x') }), /bytes; the limit is/],
    ['513 values', () => inSubject({ skill: items(250), auditor: items(250) }), /more than 512 values/],
    ['a string of 5 MB', () => inSubject({ auditor: 'x'.repeat(5_000_000) }), /bytes; the limit is/],
    [
      'a string of 8,193 characters',
      () => inSubject({ auditor: 'x'.repeat(8_193) }),
      /has 8193 characters; the limit is 8192/,
    ],
    [
      'a key of 20 kB',
      () => inSubject({ [`https://a.example/${'x'.repeat(20_000)}`]: 1 }),
      /a key in \$\.credentialSubject has/,
    ],
    ['2,000 nested objects', () => nest(2_000), /nested deeper than 10/],
    ['10,000 nested lists', () => '['.repeat(10_000) + ']'.repeat(10_000), /nested deeper than 10/],
    ['10,000 lists that do not end', () => '['.repeat(10_000), /is not valid JSON/],
    ['a number of 30 kB', () => '1'.repeat(30_000), /beyond 2\^53/],
  ])('%s', async (_, make, problem) => {
    const result = await verify(Buffer.from(make()))
    expectFailures(result, [...CHECK_NAMES], problem)
    const noBounds = { from: null, until: null }
    expect(result).toEqual({
      structurallyValid: false,
      proofVerified: false,
      type: '',
      issuer: '',
      vcHash: '',
      checks: result.checks,
      validFrom: null,
      validUntil: null,
      parseError: expect.stringMatching(problem),
      verdict: {
        rulesVersion: getRulesVersion(contexts),
        wellFormed: false,
        datesValid: false,
        issuer: '',
        types: [],
        validity: noBounds,
        proofValidity: noBounds,
        proofKeys: [],
        signaturesValid: false,
        hasStatus: false,
      },
      status: null,
    })
  })

  test.each([
    ['a repeated key', '{"type":["A"],"type":["B"]}', /an object has the key "type" twice/],
    ['a repeated key, once escaped', '{"role":"a","r\\u006fle":"b"}', /has the key "role" twice/],
    [
      '__proto__',
      '{"credentialSubject":{"__proto__":{"admin":true}}}',
      /\$\.credentialSubject has the key __proto__/,
    ],
    ['null', '{"termsOfUse":null}', /\$\.termsOfUse is null/],
    ['a lone surrogate', '{"name":"\\ud800"}', /\$\.name has a lone surrogate/],
    ['a lone surrogate in a key', '{"\\udc00":1}', /a key in \$ has a lone surrogate/],
    ['an integer beyond 2^53', '{"a":9007199254740993}', /\$\.a is a number beyond/],
    ['an infinite number', '{"a":1e999}', /beyond/],
    ['a control character', '{"a":"\n"}', /is not valid JSON/],
    ['a number with a leading zero', '{"a":01}', /is not valid JSON/],
    ['a trailing comma', '{"a":1,}', /is not valid JSON/],
    ['text after the end', '{} {}', /is not valid JSON at position 3/],
    ['a comment', '{/**/}', /is not valid JSON/],
    ['an empty body', '', /is not valid JSON/],
    ['a list', '[]', /is not a JSON object/],
    ['a string', '"credential"', /is not a JSON object/],
    ['a byte order mark', '\uFEFF{}', /is not valid JSON/],
  ])('%s', async (_, json, problem) => {
    expectFailures(await verify(Buffer.from(json)), [...CHECK_NAMES], problem)
    expect(await verify(Buffer.from(json))).toMatchObject({ parseError: expect.stringMatching(problem) })
  })

  test('bytes that are not UTF-8 fail every check', async () => {
    expect(await verify(Uint8Array.of(0x7b, 0xff, 0x7d))).toMatchObject({ parseError: 'it is not UTF-8' })
  })

  test('parsed values with unusual members or types fail every check', async () => {
    expect(await verify(JSON.parse('{"credentialSubject":{"__proto__":{"admin":true}}}'))).toMatchObject({
      parseError: expect.stringMatching(/__proto__/),
    })
    expect(await verify(undefined)).toMatchObject({ parseError: expect.stringMatching(/not valid JSON/) })
    expect(await verify({ amount: 1n })).toMatchObject({ parseError: 'it is not valid JSON' })
    expect(await verify('text')).toMatchObject({ parseError: 'it is not a JSON object' })
  })
})

describe('credentials beyond the limits are refused before a signature is verified', () => {
  test.each([8_000, 100])('a proofValue of %i digits', async (length) => {
    expect.hasAssertions()
    const proof = { ...signed.proof, proofValue: `z${'2'.repeat(length)}` }
    expectFailures(await verify({ ...signed, proof }), ['proof_verified'], /multibase base-58/)
  })

  test('a clique of blank nodes', async () => {
    expect.hasAssertions()
    const result = await verify(JSON.parse(inSubject(cliques(10))))
    expectFailures(result, ['context', 'proof_verified'], /is a blank node name/)
  })

  test.each(['a binary tree of blank nodes', 'nested blank nodes'])('%s', async (name) => {
    expect.hasAssertions()
    const result = await verify({ ...worst.get(name), proof: signed.proof })
    expectFailures(result, ['proof_verified'], /Maximum deep iterations exceeded/)
  })
})

test('a credential with eddsa-jcs-2022 is verified without a thread', async () => {
  const suite = 'eddsa-jcs-2022'
  const verifier = createVerifier({ contexts, maxWaiting: 0 })
  const signed = await issuer.sign(unsigned('2.0', suite, issuer.did), suite)
  const verify = async (credential: Json): Promise<boolean> => {
    const about = { agentDid: AGENT_DID, now: NOW, trust: trustRegistry([issuer.trusted]) }
    return (await verifier.verify(credential, about)).proofVerified
  }
  expect([await verify(signed), await verify({ ...signed, id: 'urn:uuid:other' })]).toEqual([true, false])
  await verifier.close()
})

describe('the verifier threads', () => {
  const costly = { ...worst.get('nodes with credentials inside') }
  const trust = trustRegistry([issuer.trusted])
  const options = { agentDid: AGENT_DID, now: NOW, trust }

  test('a thread that uses too much CPU time is replaced, and the result is not cached', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0)
    const verifier = verifierOf({ limitMs: 1 })
    const credential = { ...costly, proof: signed.proof }
    for (let attempt = 0; attempt < 2; attempt++) {
      const result = await verifier.verify(credential, options)
      expectFailures(
        result,
        ['proof_verified'],
        /^no result: the verification was stopped because it took longer than 1 ms$/,
      )
      expect(result.verdict.signaturesValid).toBeNull()
    }
    now.mockRestore()
    await verifier.close()
  })

  test('too many credentials at once get 503, and earlier ones get a result', async () => {
    const verifier = verifierOf({ maxWaiting: 2, maxWaitMs: 60_000 })
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

  test.each([
    ['is replaced after ten times its limit', 10, /stopped because it took longer than 1 ms$/],
    ['has its whole limit, whatever it used before', 0, /does not match/],
  ])('a thread that gets no CPU time %s', async (_, stepMs, detail) => {
    const on = vi.spyOn(Worker.prototype, 'on')
    const verifier = verifierOf({ limitMs: 1 })
    let usedMs = 0
    const worker = on.mock.contexts[0] as Worker
    worker.once('message', ({ cpuMs }: { cpuMs: number }) => (usedMs = cpuMs))
    const used = async () => ({ user: usedMs * 1_000, system: 0 })
    const cpuUsage = vi.spyOn(worker, 'cpuUsage').mockImplementation(used)
    let time = 0
    const now = vi.spyOn(performance, 'now').mockImplementation(() => (time += stepMs))
    const result = await verifier.verify({ ...costly, proof: signed.proof }, options)
    for (const spy of [on, now]) spy.mockRestore()
    expectFailures(result, ['proof_verified'], detail)
    expect(cpuUsage).toHaveBeenCalled()
    await verifier.close()
  })

  test('a thread that exits is replaced', async () => {
    const on = vi.spyOn(Worker.prototype, 'on')
    const verifier = verifierOf()
    const [worker] = on.mock.contexts as Worker[]
    on.mockRestore()
    const lost = verifier.verify(signed, options)
    await worker!.terminate()
    expectFailures(await lost, ['proof_verified'], /stopped because the worker exited$/)
    expect((await verifier.verify(signed, options)).proofVerified).toBe(true)
    await verifier.close()
  })

  test('a credential that waits too long for a thread gets 503, and one that has a thread does not', async () => {
    const verifier = verifierOf({ maxWaitMs: 1 })
    // The first one has a thread, which still starts.
    const [first, second] = [signed, { ...signed, id: 'urn:uuid:2' }].map((each) =>
      verifier.verify(each, options),
    )
    await expect(second).rejects.toMatchObject({ code: 'VERIFIER_BUSY' })
    expect(await first).toMatchObject({ proofVerified: true })
    await verifier.close()
  })

  test('a credential that was verified with the same keys needs no thread', async () => {
    const verifier = verifierOf()
    const forged = { ...signed, id: 'urn:uuid:forged' }
    for (const [credential, proofVerified] of [
      [signed, true],
      [forged, false],
    ] as const) {
      expect((await verifier.verify(credential, options)).proofVerified).toBe(proofVerified)
    }
    await verifier.close()
    expect((await verifier.verify(signed, options)).proofVerified).toBe(true)
    expect((await verifier.verify(forged, options)).proofVerified).toBe(false)
    const { key } = createTestIssuer('other').trusted.keys[0]!
    const keys = [{ verificationMethod: issuer.vm, key }]
    const changed = { ...options, trust: trustRegistry([{ ...issuer.trusted, keys }]) }
    await expect(verifier.verify(signed, changed)).rejects.toMatchObject({ code: 'VERIFIER_BUSY' })
  })

  test('the metrics count each outcome, and the credentials that wait', async () => {
    const registry = createMetrics()
    const metrics = createVerifierMetrics(registry)
    const read = async (name: string): Promise<Json[]> =>
      (await registry.getSingleMetric(`gateway_credentials_${name}`)!.get()).values
    const limits = { limitMs: 5_000, maxWaiting: 2, maxWaitMs: 60_000 }
    const verifier = verifierOf({ ...limits, metrics })
    const copies = [signed.id, 'urn:1', 'urn:2', 'urn:3'].map((id) => Object.assign({}, signed, { id }))
    const startedAt = performance.now()
    const answers = Promise.allSettled(copies.map((copy) => verifier.verify(copy, options)))
    await expect.poll(() => read('waiting')).toMatchObject([{ value: 2 }])
    await answers
    await verifier.verify('text', options)
    await verifier.verify(signed, { ...options, trust: trustRegistry([]) })
    const late = verifier.verify({ ...signed, id: 'urn:late' }, options)
    await verifier.close()
    await late
    const seconds = (performance.now() - startedAt) / 1_000
    expect(await read('waiting')).toMatchObject([{ value: 0 }])
    const outcomes = await read('verifications_total')
    expect(Object.fromEntries(outcomes.map(({ labels, value }) => [labels.outcome, value]))).toEqual({
      verified: 1,
      refused: 3,
      invalid_json: 1,
      undecided: 1,
      busy: 1,
    })
    const durations = await read('verification_duration_seconds')
    const [count, sum] = ['count', 'sum'].map(
      (end) => durations.find(({ metricName }) => metricName?.endsWith(end)).value,
    )
    expect(count).toBe(7)
    expect(sum).toBeGreaterThan(0)
    expect(sum).toBeLessThan(count * seconds)
  })

  test('a credential that waits at shutdown gets a result that says so', async () => {
    const verifier = createVerifier({ contexts, size: 1 })
    const waiting = verifier.verify(signed, options)
    await verifier.close()
    expectFailures(await waiting, ['proof_verified'], /no result: .*the service is shutting down/)
    await expect(verifier.verify({ ...signed, id: 'urn:x' }, options)).rejects.toMatchObject({
      code: 'VERIFIER_BUSY',
    })
  })
})
