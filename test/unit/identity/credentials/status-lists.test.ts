import { gzipSync } from 'node:zlib'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import {
  CREDENTIALS_V1,
  DATA_INTEGRITY_V2,
  STATUS_V1,
} from '../../../../src/identity/credentials/contexts/pinned.ts'
import { trustRegistry } from '../../../../src/identity/credentials/trusted-issuers.ts'
import type { VerificationResult } from '../../../../src/identity/credentials/verify/result.ts'
import { createVerifier, type VerifyOptions } from '../../../../src/identity/credentials/verify/verifier.ts'
import type { FetchHostedResult } from '../../../../src/platform/net/hosted/fetch-hosted.ts'
import {
  AGENT_DID,
  contexts,
  createTestIssuer,
  type Json,
  type Model,
  MODELS,
  NOW,
  SUITES,
  unsigned,
} from '../../../support/identity/issuer.ts'
import { seal } from '../../../support/identity/seal.ts'
import { type ListOptions, statusEntry, statusList } from '../../../support/identity/status-list.ts'

const LIST = 'https://ossian.example/lists/1'
const MINUTE = 60_000
const issuer = createTestIssuer('Ossian Labs')
const other = createTestIssuer('Another trusted issuer')
const trust = trustRegistry([issuer.trusted, other.trusted])

let answer: (url: string) => Promise<FetchHostedResult>
let fetched: string[]
const verifier = createVerifier({
  contexts,
  size: 1,
  limitMs: 5_000,
  fetchStatusList: (url) => {
    fetched.push(url)
    return answer(url)
  },
})
afterAll(() => verifier.close())
beforeEach(() => {
  fetched = []
})

const serve = (list: Json, headers: Record<string, string> = { 'cache-control': 'no-store' }): void => {
  const body = Buffer.from(typeof list === 'string' ? list : JSON.stringify(list))
  answer = () => Promise.resolve({ kind: 'fetched', body, headers })
}
const issue = (credentialStatus: Json, model: Model = '2.0'): Promise<Json> => {
  const suite = model === '2.0' ? 'eddsa-rdfc-2022' : 'eddsa-jcs-2022'
  return seal({ ...unsigned(model, suite, issuer.did), credentialStatus }, suite, issuer)
}
const verify = (raw: Json, options: Partial<VerifyOptions> = {}): Promise<VerificationResult> =>
  verifier.verify(raw, { agentDid: AGENT_DID, now: NOW, trust, ...options })

const last = async (raw: Json, options?: Partial<VerifyOptions>): Promise<string> => {
  const { checks, proofVerified } = await verify(await raw, options)
  const { check, passed, detail } = checks.at(-1)!
  expect([check, checks.length, passed]).toEqual(['status', 7, proofVerified])
  return passed ? 'valid' : detail
}
const listOf = (options: ListOptions = {}): Promise<Json> => statusList(issuer, LIST, options)
/** A list with these members, signed with them. */
const changed = (members: Json): Promise<Json> =>
  listOf({ suite: 'eddsa-jcs-2022', change: (list) => ({ ...list, ...members }) })
const withSubject = (members: Json): Promise<Json> =>
  listOf({ suite: 'eddsa-jcs-2022', change: (list) => inSubject(list, members) })
/** A list with this text in place of its bits. */
const encoded = (encodedList: unknown): Promise<Json> => withSubject({ encodedList })
const inSubject = (list: Json, members: Json): Json => ({
  ...list,
  credentialSubject: { ...list.credentialSubject, ...members },
})
const gzipped = (bytes: Uint8Array): string => `u${gzipSync(bytes).toString('base64url')}`

describe('lists of the Digital Bazaar stack', () => {
  test.each(SUITES)('with %s give each entry its status', async (suite) => {
    serve(await listOf({ suite, set: [0, 9, 131_071] }))
    for (const [index, state] of [
      [0, /^revoked: the issuer set entry 0 /],
      [1, /^valid$/],
      [8, /^valid$/],
      [9, /^revoked/],
      [131_070, /^valid$/],
      [131_071, /^revoked/],
    ] as const) {
      expect(await last(issue(statusEntry(LIST, index)))).toMatch(state)
    }
  })

  test.each(MODELS)('of VC 1.1, about a credential of VC %s', async (model) => {
    const context = [CREDENTIALS_V1, STATUS_V1]
    serve(await listOf({ context, set: [7] }))
    expect(await last(issue(statusEntry(LIST, 7), model))).toMatch(/^revoked/)
    expect(await last(issue(statusEntry(LIST, 8), model))).toBe('valid')
  })

  test('a credential of VC 1.1 can define its entry with the context of status lists', async () => {
    const plain = unsigned('1.1', 'eddsa-rdfc-2022', issuer.did)
    const credential = {
      ...plain,
      '@context': [...plain['@context'], STATUS_V1],
      credentialStatus: statusEntry(LIST, 7),
    }
    expect(credential['@context']).toContain(DATA_INTEGRITY_V2)
    serve(await listOf({ set: [7] }))
    expect(await last(issuer.sign(credential, 'eddsa-rdfc-2022'))).toMatch(/^revoked/)
  })

  test.each<[string, (list: Json) => Json]>([
    ['several purposes', (list) => inSubject(list, { statusPurpose: ['suspension', 'revocation'] })],
    ['no id', (list) => ({ ...list, id: undefined })],
    ['an end in the future', (list) => ({ ...list, validUntil: '2026-11-22T00:00:00Z' })],
  ])('with %s are read', async (_, change) => {
    serve(await listOf({ suite: 'eddsa-jcs-2022', set: [5], change }))
    expect(await last(issue({ ...statusEntry(LIST, 5), statusSize: 1 }))).toMatch(/^revoked/)
    expect(await last(issue(statusEntry(LIST, 6)))).toBe('valid')
  })

  test('with eight million entries are read', async () => {
    serve(await listOf({ length: 8_388_608, set: [8_388_607] }))
    expect(await last(issue(statusEntry(LIST, 8_388_607)))).toMatch(/^revoked/)
  })
})

describe('a hostile or broken list makes the status unknown, with the reason', () => {
  const zeros = Buffer.alloc(16_384)
  test.each<[string, () => Promise<Json>, RegExp]>([
    ['a bomb', () => encoded(gzipped(Buffer.alloc(64_000_000))), /it has more than 8388608 entries/],
    ['too few entries', () => encoded(gzipped(zeros.subarray(1))), /it has 131064 entries; the minimum/],
    ['bits that are not compressed', () => encoded(`u${zeros.toString('base64url')}`), /not compressed/],
    ['compressed bits that are cut', () => encoded(gzipped(zeros).slice(0, -12)), /not compressed/],
    ['no multibase prefix', () => encoded(gzipped(zeros).slice(1)), /base64url text that starts with u/],
    ['other characters', () => encoded(`${gzipped(zeros)}=`), /base64url text that starts with u/],
    ['no bits', () => encoded('u'), /base64url text that starts with u/],
    ['another issuer who is trusted', () => statusList(other, LIST), /its issuer is .*, not the issuer of/],
    [
      'a claim to be of the issuer',
      () => statusList(other, LIST, { change: (list) => ({ ...list, issuer: issuer.did }) }),
      /not a key of the issuer/,
    ],
    [
      'a changed bit',
      async () => {
        const list = await listOf()
        const { credentialSubject } = await listOf({ set: [3] })
        return { ...list, credentialSubject }
      },
      /the signature does not match/,
    ],
    ['no proof', async () => ({ ...(await listOf()), proof: undefined }), /proof must be an object/],
    [
      'another list of the issuer',
      () => statusList(issuer, 'https://ossian.example/lists/2'),
      /its id is "https:\/\/ossian.example\/lists\/2", not its URL/,
    ],
    ['another purpose', () => listOf({ purpose: 'suspension' }), /is not for revocation/],
    ['an end in the past', () => changed({ validUntil: '2026-11-20T00:00:00Z' }), /it expired at 2026-11-20/],
    [
      'a start in the future',
      () => changed({ validFrom: '2026-12-20T00:00:00Z' }),
      /it is not valid before 2026-12-20/,
    ],
    [
      'another type of credential',
      () => changed({ type: ['VerifiableCredential'] }),
      /does not include BitstringStatusListCredential/,
    ],
    [
      'another type of subject',
      () => withSubject({ type: 'StatusList2021' }),
      /its subject must be one BitstringStatusList/,
    ],
    [
      'a status in its own list, a loop',
      () => changed({ credentialStatus: statusEntry(LIST, 3) }),
      /it has a credentialStatus of its own/,
    ],
    [
      'a status in another list, which may have revoked it',
      () => changed({ credentialStatus: statusEntry('https://ossian.example/lists/2', 3) }),
      /it has a credentialStatus of its own/,
    ],
    [
      'an unknown context',
      async () => ({
        ...(await listOf()),
        '@context': ['https://www.w3.org/ns/credentials/v2', 'https://a.example/'],
      }),
      /not a known context/,
    ],
    [
      'no subject',
      async () => ({ ...(await listOf()), credentialSubject: undefined }),
      /its subject must be one BitstringStatusList/,
    ],
    [
      'subjects instead of one',
      () =>
        listOf({
          suite: 'eddsa-jcs-2022',
          change: (list) => ({ ...list, credentialSubject: [list.credentialSubject] }),
        }),
      /its subject must be one BitstringStatusList/,
    ],
    [
      'an end that is not a date',
      async () => {
        const { proof: _, ...list } = await listOf()
        return seal({ ...list, validUntil: 'never' }, 'eddsa-jcs-2022', issuer)
      },
      /validUntil must be a date/,
    ],
    [
      'two known kinds',
      () =>
        listOf({
          suite: 'eddsa-jcs-2022',
          change: (list) => ({ ...list, type: [...list.type, 'IdentityCredential', 'CapabilityCredential'] }),
        }),
      /more than one known kind/,
    ],
    ['no text as bits', () => encoded(7), /base64url text that starts with u/],
    ['text before the bits', () => encoded(` ${gzipped(zeros)}`), /base64url text that starts with u/],
    ['no JSON', async () => '<html>', /it cannot be parsed: it is not valid JSON/],
    ['a repeated key', async () => '{"a":1,"a":2}', /it cannot be parsed: .* twice/],
  ])('%s', async (_, list, reason) => {
    serve(await list())
    expect(await last(issue(statusEntry(LIST, 4)))).toMatch(reason)
    expect(fetched).toEqual([LIST])
  })

  test('an index behind the end of the list', async () => {
    serve(await listOf())
    expect(await last(issue(statusEntry(LIST, 131_072)))).toMatch(
      /has 131072 entries, and statusListIndex is 131072/,
    )
    expect(await last(issue(statusEntry(LIST, '9'.repeat(15))))).toMatch(/and statusListIndex is 9{15}/)
  })
})

describe('an entry that is not supported fails without a fetch', () => {
  const entry = statusEntry(LIST, 1)
  const outcomeOf = async (credentialStatus: Json): Promise<[outcome: string, fetched: string[]]> => {
    const suite = 'eddsa-jcs-2022'
    const plain = { ...unsigned('2.0', suite, issuer.did), credentialStatus }
    return [await last(seal(plain, suite, issuer)), fetched]
  }

  test.each<[string, Json, RegExp]>([
    [
      'another type',
      { type: 'StatusList2021Entry' },
      /must be BitstringStatusListEntry; it is "StatusList2021/,
    ],
    ['no type', { type: undefined }, /must be BitstringStatusListEntry; it is undefined/],
    ['another purpose', { statusPurpose: 'expiry' }, /must be revocation, suspension, refresh or message/],
    ['no purpose', { statusPurpose: undefined }, /must be revocation, suspension/],
    ['no index', { statusListIndex: undefined }, /a string of 1 to 15 digits/],
    ['a list with an index', { statusListIndex: ['7'] }, /a string of 1 to 15 digits/],
    ['an empty index', { statusListIndex: '' }, /a string of 1 to 15 digits/],
    ['an index with text after it', { statusListIndex: '7x' }, /a string of 1 to 15 digits/],
    ['a list with a URL', { statusListCredential: [LIST] }, /must be a URL with scheme/],
    ['a list that is not a URL', { statusListCredential: 'lists/1' }, /must be a URL with scheme/],
    ['a negative index', { statusListIndex: '-1' }, /a string of 1 to 15 digits; it is "-1"/],
    ['an index as a number', { statusListIndex: 7 }, /a string of 1 to 15 digits; it is 7/],
    ['an index with an exponent', { statusListIndex: '1e3' }, /a string of 1 to 15 digits/],
    ['a longer index', { statusListIndex: '1'.repeat(16) }, /a string of 1 to 15 digits/],
    ['a size as a text', { statusSize: '1' }, /statusSize must be 1 for revocation; it is "1"/],
    ['entries of two bits', { statusSize: 2 }, /statusSize must be 1 for revocation; it is 2/],
    ['no list', { statusListCredential: undefined }, /must be a URL with scheme https, ipfs or ar/],
    ['a file', { statusListCredential: 'file:///etc/passwd' }, /must be a URL with scheme/],
    ['a long URL', { statusListCredential: `https://a.example/${'x'.repeat(2_048)}` }, /must be a URL/],
  ])('%s', async (_, members, reason) => {
    const expected = [expect.stringMatching(reason), []]
    expect(await outcomeOf({ ...entry, ...members })).toEqual(expected)
  })

  test.each<[string, Json, RegExp]>([
    ['a text', 'https://ossian.example/status', /an entry must be an object/],
    ['no entry', [], /must have 1 to 4 entries; it has 0/],
    [
      'five entries',
      Array.from({ length: 5 }, (_, i) => statusEntry(LIST, i)),
      /must have 1 to 4 entries; it has 5/,
    ],
    ['one of two is of another type', [entry, { ...entry, type: 'X' }], /must be BitstringStatusListEntry/],
  ])('%s', async (_, status, reason) => {
    expect(await outcomeOf(status)).toEqual([expect.stringMatching(reason), []])
  })

  test('a purpose that does not make a credential invalid is not read', async () => {
    for (const purpose of ['message', 'refresh']) {
      const credential = await issue(statusEntry(LIST, 1, purpose))
      expect(await last(credential)).toBe('valid')
      const { checks, status } = await verify(credential)
      expect(checks.at(-1)?.detail).toBe('its credentialStatus is not for revocation or suspension')
      expect(status).toEqual({ state: 'valid', checkedAt: new Date(NOW).toISOString() })
    }
    expect(fetched).toEqual([])
  })
})

describe('a list is kept', () => {
  test.each<[string, Record<string, string>, Json, number]>([
    ['five minutes without any time', {}, {}, 5],
    ['as long as max-age says', { 'cache-control': 'public, max-age=60' }, {}, 1],
    ['as long as s-maxage says, before max-age', { 'cache-control': 'max-age=60, s-maxage=120' }, {}, 2],
    ['less its age at the host', { 'cache-control': 'max-age=180', age: '60' }, {}, 2],
    [
      'until Expires, by the clock of the host',
      { date: 'Tue, 01 Jan 2030 00:00:00 GMT', expires: 'Tue, 01 Jan 2030 00:03:00 GMT' },
      {},
      3,
    ],
    ['as long as ttl says', {}, { ttl: 240_000 }, 4],
    ['five minutes if ttl is negative', {}, { ttl: -1 }, 5],
    ['not at all if ttl is 0', {}, { ttl: 0 }, 0],
    ['as long as the shorter of both says', { 'cache-control': 'max-age=60' }, { ttl: 240_000 }, 1],
    ['at most 15 minutes', { 'cache-control': 'max-age=31536000' }, { ttl: 86_400_000 }, 15],
    ['not at all with no-store', { 'cache-control': 'no-store, max-age=60' }, {}, 0],
    ['not at all with private', { 'cache-control': 'private' }, {}, 0],
    ['not at all with an invalid max-age', { 'cache-control': 'max-age=-1' }, {}, 0],
    ['not at all with an invalid Expires', { expires: '0' }, {}, 0],
  ])('%s', async (_, headers, subject, minutes) => {
    const url = `${LIST}?${encodeURIComponent(JSON.stringify([headers, subject]))}`
    const change = (list: Json): Json => inSubject(list, subject)
    serve(await statusList(issuer, url, { change }), headers)
    const credential = await issue(statusEntry(url, 1))
    const times = minutes > 0 ? [0, minutes * MINUTE - 1, minutes * MINUTE] : [0, 0]
    const fetches: number[] = []
    for (const ms of times) {
      expect(await last(credential, { now: NOW + ms })).toBe('valid')
      fetches.push(fetched.length)
    }
    expect(fetches).toEqual(minutes > 0 ? [1, 1, 2] : [1, 2])
  })

  test.each(['list', 'proof'])('not beyond the end of the %s', async (name) => {
    const url = `${LIST}?end-of-${name}`
    const end = new Date(NOW + MINUTE).toISOString()
    const later = new Date(NOW + 2 * MINUTE).toISOString()
    const { proof: _, ...list } = await statusList(issuer, url)
    const ends = name === 'list' ? [end, later] : [later, end]
    const suite = 'eddsa-rdfc-2022'
    serve(await seal({ ...list, validUntil: ends[0] }, suite, issuer, { expires: ends[1] }), {})
    const credential = await issue(statusEntry(url, 1))
    for (const ms of [0, MINUTE - 1, MINUTE]) await last(credential, { now: NOW + ms })
    expect(fetched).toHaveLength(2)
  })

  test('not for a time before it was fetched, and the status is as old as the oldest list', async () => {
    const urls = ['a', 'b'].map((name) => `${LIST}?before-${name}`) as [string, string]
    answer = async (url) => {
      const body = Buffer.from(JSON.stringify(await statusList(issuer, url)))
      return { kind: 'fetched', body, headers: {} }
    }
    const credential = await issue(statusEntry(urls[0], 1))
    await last(credential)
    await last(credential, { now: NOW - 1 })
    expect(fetched).toEqual([urls[0], urls[0]])
    const both = await issue(urls.map((url) => statusEntry(url, 1)))
    const { checks, status } = await verify(both, { now: NOW + MINUTE })
    const checkedAt = new Date(NOW - 1).toISOString()
    expect(status).toEqual({ state: 'valid', checkedAt })
    expect(checks.at(-1)?.detail).toBe(
      `the issuer's status list of ${checkedAt} does not revoke or suspend it`,
    )
    expect(fetched).toHaveLength(3)
  })

  test('for its issuer only, also while it is fetched', async () => {
    const url = `${LIST}?other-issuer`
    const body = Buffer.from(JSON.stringify(await statusList(issuer, url)))
    const { promise, resolve } = Promise.withResolvers<FetchHostedResult>()
    answer = () => promise
    const suite = 'eddsa-jcs-2022'
    const [own, foreign] = [issuer, other].map(async (each) => {
      const plain = unsigned('2.0', suite, each.did)
      return last(seal({ ...plain, credentialStatus: statusEntry(url, 1) }, suite, each))
    })
    await expect.poll(() => fetched).toEqual([url, url])
    resolve({ kind: 'fetched', body, headers: {} })
    expect(await own).toBe('valid')
    expect(await foreign).toMatch(/its issuer is .*, not the issuer of/)
  })

  test('not when its issuer has another key', async () => {
    const url = `${LIST}?key`
    serve(await statusList(issuer, url), {})
    const credential = await issue(statusEntry(url, 1))
    expect(await last(credential)).toBe('valid')
    const keys = [{ ...issuer.trusted.keys[0]!, key: other.trusted.keys[0]!.key }]
    const changed = trustRegistry([{ ...issuer.trusted, keys }])
    const resealed = await seal(
      { ...unsigned('2.0', 'eddsa-jcs-2022', issuer.did), credentialStatus: statusEntry(url, 1) },
      'eddsa-jcs-2022',
      { ...issuer, keypair: other.keypair },
    )
    expect(await last(resealed, { trust: changed })).toMatch(/the signature does not match/)
    expect(fetched).toHaveLength(2)
  })
})

test('all who wait for a list share one fetch, and a caller can stop waiting', async () => {
  const url = `${LIST}?slow`
  const list = Buffer.from(JSON.stringify(await statusList(issuer, url)))
  const { promise, resolve } = Promise.withResolvers<FetchHostedResult>()
  answer = () => promise
  const stop = new AbortController()
  const credentials = await Promise.all([1, 2, 3].map((index) => issue(statusEntry(url, index))))
  const waiting = credentials.map((credential) => last(credential))
  const impatient = last(credentials[0], { signal: stop.signal })
  await expect.poll(() => fetched).toEqual([url])
  stop.abort()
  expect(await impatient).toMatch(/not known: the service is shutting down/)
  expect(await last(credentials[1], { signal: stop.signal })).toMatch(/the service is shutting down/)
  resolve({ kind: 'fetched', body: list, headers: {} })
  expect(await Promise.all(waiting)).toEqual(['valid', 'valid', 'valid'])
  expect(fetched).toEqual([url])
})

test('a list that cannot be read makes the status unknown, unless another list revokes or suspends', async () => {
  const lost = `${LIST}?lost`
  const verifyWith = async (purpose: string, set: number[]): Promise<VerificationResult> => {
    const url = `${LIST}?${purpose}-${set.length}`
    const body = Buffer.from(JSON.stringify(await statusList(issuer, url, { purpose, set })))
    answer = async (asked) =>
      asked === url
        ? { kind: 'fetched', body, headers: {} }
        : { kind: 'failed', reason: 'No answer', host: null }
    return verify(await issue([statusEntry(lost, 1), statusEntry(url, 1, purpose)]))
  }
  const { checks, status, proofVerified } = await verifyWith('revocation', [])
  expect([checks.at(-1)?.detail, status, proofVerified]).toEqual([
    'not known: the status list could not be fetched: No answer',
    null,
    false,
  ])
  expect((await verifyWith('revocation', [1])).status).toMatchObject({ state: 'revoked' })
  expect((await verifyWith('suspension', [1])).status).toMatchObject({ state: 'suspended' })
})

test('a credential without a status has exactly the six checks', async () => {
  const plain = unsigned('2.0', 'eddsa-rdfc-2022', issuer.did)
  const result = await verify(await seal(plain, 'eddsa-rdfc-2022', issuer))
  expect(result.checks.map(({ check }) => check)).toEqual([
    'context',
    'type',
    'subject',
    'temporal',
    'proof_present',
    'proof_verified',
  ])
  expect(result).toMatchObject({ proofVerified: true, status: null, verdict: { hasStatus: false } })
})

test('the status is not known without permission to fetch, or without a way to', async () => {
  const credential = await issue(statusEntry(LIST, 1))
  expect(await last(credential, { checksStatus: false })).toBe(
    'not checked because no status list may be fetched now',
  )
  expect(fetched).toEqual([])
  const offline = createVerifier({ contexts, size: 1, limitMs: 5_000 })
  const { checks } = await offline.verify(credential, { agentDid: AGENT_DID, now: NOW, trust })
  expect(checks.at(-1)?.detail).toBe(
    'not known: the status list could not be fetched: No list can be fetched',
  )
  await offline.close()
})
