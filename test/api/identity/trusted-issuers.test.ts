import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { pubkey } from '@agent-registry/solana'
import {
  checkIssuer,
  createTrustedIssuers,
  type GivenIssuer,
  type NewIssuer,
  type TrustedIssuers,
} from '../../../src/identity/credentials/trusted-issuers.ts'
import { keyToMultibase } from '../../../src/identity/credentials/formats.ts'
import { trustProblem } from '../../../src/identity/credentials/verify/checks/trust.ts'
import { evaluateVerdict } from '../../../src/identity/credentials/verify/evaluate-verdict.ts'
import { getRulesVersion } from '../../../src/identity/credentials/verify/result.ts'
import { createVerifier } from '../../../src/identity/credentials/verify/verifier.ts'
import {
  AGENT_DID,
  contexts,
  createTestIssuer,
  type Json,
  NOW,
  unsigned,
} from '../../support/identity/issuer.ts'
import { seal } from '../../support/identity/seal.ts'
import { runCommand } from '../../support/cli.ts'
import { urlOf, useTestDatabase } from '../../support/database.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const auditor = createTestIssuer('auditor')
const other = createTestIssuer('other')
const DAY = 86_400_000
const PLAIN = { types: [], keys: [], notBefore: null, notAfter: null }
const KEY = pubkey(auditor.keypair.publicKey.toBase58())
const MULTIBASE = keyToMultibase(KEY)
const OTHER_MULTIBASE = keyToMultibase(pubkey(other.keypair.publicKey.toBase58()))
const SMALL_ORDER = keyToMultibase(pubkey('1'.repeat(32)))
const verifier = createVerifier({ contexts, size: 1, limitMs: 5_000 })
let now = NOW
const database = useTestDatabase()
let issuers: TrustedIssuers
let credential: Json

beforeAll(async () => {
  issuers = createTrustedIssuers({
    em: database.orm.em,
    clock: { now: () => now },
  })
  credential = await auditor.sign(unsigned('2.0', 'eddsa-jcs-2022', auditor.did), 'eddsa-jcs-2022')
})
afterAll(() => verifier.close())

async function verdict(): Promise<string> {
  now += 1_001
  const result = await verifier.verify(credential, {
    agentDid: AGENT_DID,
    now,
    trust: await issuers.current(),
  })
  expect(result.proofVerified).toBe(result.checks.at(-1)?.passed)
  return result.checks.at(-1)?.detail ?? ''
}

const UNVERIFIED = { structurallyValid: true, proofVerified: false, needsVerification: true }

test('an issuer is trusted from notBefore to notAfter, to the millisecond', () => {
  const [from, until] = [NOW, NOW + DAY]
  const bounds = { notBefore: new Date(from).toISOString(), notAfter: new Date(until).toISOString() }
  const trust = { find: () => ({ ...auditor.trusted, ...bounds }) }
  const at = (time: number) => trustProblem({ issuer: auditor.did, types: null }, trust, time)
  expect(at(from - 1)).toMatch(/is not trusted before/)
  expect(at(from)).toBeNull()
  expect(at(until)).toBeNull()
  expect(at(until + 1)).toMatch(/was trusted until/)
})

const issuer = (given: Partial<GivenIssuer> = {}): NewIssuer =>
  checkIssuer({ did: auditor.did, ...PLAIN, ...given }) as NewIssuer

test('registry changes apply to the next verification, and signatures of untrusted issuers are not verified', async () => {
  expect(await verdict()).toMatch(/is not in the trusted issuer registry; the signature was not checked$/)
  expect(await issuers.put(issuer())).toBe('added')
  expect(await verdict()).toBe(`signed by ${auditor.did}, a trusted issuer (eddsa-jcs-2022)`)
  expect(await issuers.setEnabled(auditor.did, false)).toBe(true)
  expect(await verdict()).toMatch(/is disabled in the trusted issuer registry/)
  expect(await issuers.put(issuer({ types: ['identity', 'ComplianceCredential'] }))).toBe('replaced')
  expect(await verdict()).toMatch(/is not trusted for the type "SecurityAuditCredential"/)
  await issuers.put(issuer({ types: ['SecurityAudit'] }))
  expect(await verdict()).toMatch(/^signed by/)
  await issuers.put(issuer({ notBefore: new Date(now + DAY).toISOString() }))
  expect(await verdict()).toMatch(/is not trusted before/)
  await issuers.put(issuer({ notAfter: new Date(now - DAY).toISOString() }))
  expect(await verdict()).toMatch(/was trusted until/)
  expect(await issuers.remove(auditor.did)).toBe(true)
  expect(await verdict()).toMatch(/is not in the trusted issuer registry/)
  expect(await issuers.remove(auditor.did)).toBe(false)
  expect(await issuers.setEnabled(auditor.did, true)).toBe(false)
})

test('the registry is cached for one second', async () => {
  now += 10_000
  await issuers.current()
  const elsewhere = createTrustedIssuers({
    em: database.orm.em,
    clock: { now: () => now },
  })
  await elsewhere.put(issuer())
  now += 1_000
  expect((await issuers.current()).find(auditor.did)).toBeUndefined()
  now += 1
  expect((await issuers.current()).find(auditor.did)).toMatchObject({
    enabled: true,
    keys: auditor.trusted.keys,
  })
  await elsewhere.remove(auditor.did)
  now -= 1
  expect((await issuers.current()).find(auditor.did)).toBeUndefined()
})

test('changes of this process apply at once, and replacing an issuer keeps the time when it was added', async () => {
  const found = async () => (await issuers.current()).find(auditor.did)
  const times = () =>
    database.orm.em
      .getKysely()
      .selectFrom('trusted_issuers')
      .select(['created_at', 'updated_at'])
      .where('did', '=', auditor.did)
      .executeTakeFirst()
  expect(await found()).toBeUndefined()
  const added = new Date(now).toISOString()
  await issuers.put(issuer())
  expect(await found()).toMatchObject({ enabled: true })
  now += 1
  await issuers.setEnabled(auditor.did, false)
  expect(await found()).toMatchObject({ enabled: false })
  now += 1
  await issuers.put(issuer())
  expect(await found()).toMatchObject({ enabled: true })
  expect(await times()).toMatchObject({ created_at: added, updated_at: new Date(now).toISOString() })
  await issuers.remove(auditor.did)
  expect(await found()).toBeUndefined()
})

test('a registry that cannot be read is read again by the next request', async () => {
  const { em } = database.orm
  const fork = vi.spyOn(em, 'fork').mockImplementationOnce(() => {
    throw new Error('no connection')
  })
  now += 10_000
  const again = createTrustedIssuers({ em, clock: { now: () => now } })
  await expect(again.current()).rejects.toThrow('no connection')
  expect((await again.current()).find(auditor.did)).toBeUndefined()
  fork.mockRestore()
})

test('time, trust and the current keys of the issuer are applied to a stored verdict', async () => {
  await issuers.put(issuer())
  now += 2_000
  const trust = await issuers.current()
  const { verdict } = await verifier.verify(credential, { agentDid: AGENT_DID, now, trust })
  const rulesVersion = getRulesVersion(contexts)
  const at = (time: number, registry = trust, version = rulesVersion) =>
    evaluateVerdict(verdict, null, { now: time, trust: registry, rulesVersion: version })
  expect(at(now)).toEqual({
    structurallyValid: true,
    proofVerified: true,
    active: true,
    state: null,
    needsVerification: false,
  })
  expect(at(now, trust, getRulesVersion(contexts, 99))).toMatchObject(UNVERIFIED)
  expect(at(Date.parse('2027-11-01T00:06:00Z'))).toMatchObject({
    structurallyValid: false,
    proofVerified: true,
  })
  expect(at(Date.parse('2026-10-31T23:54:00Z'))).toMatchObject({ structurallyValid: false })
  const keys = auditor.trusted.keys.map((each) => ({
    ...each,
    key: pubkey(other.keypair.publicKey.toBase58()),
  }))
  expect(at(now, { find: () => ({ ...auditor.trusted, keys }) })).toMatchObject(UNVERIFIED)
  await issuers.setEnabled(auditor.did, false)
  expect(at(now, await issuers.current())).toMatchObject({ structurallyValid: true, proofVerified: false })
  await issuers.remove(auditor.did)
  const without = { agentDid: AGENT_DID, now, trust: await issuers.current() }
  const untrusted = await verifier.verify(credential, without)
  await issuers.put(issuer())
  const context = { now, trust: await issuers.current(), rulesVersion }
  expect(evaluateVerdict(untrusted.verdict, null, context)).toMatchObject(UNVERIFIED)
})

test('a did:web issuer has its pinned keys', async () => {
  const did = 'did:web:issuer.example%3A8443:audits'
  const signed = { ...credential, issuer: did }
  const pin = (keys: string[]) => issuers.put(checkIssuer({ did, ...PLAIN, keys }) as NewIssuer)
  await pin([OTHER_MULTIBASE, `2026=${MULTIBASE}`])
  const check = async (verificationMethod: string) => {
    now += 1_001
    const raw = { ...signed, proof: { ...credential.proof, verificationMethod } }
    const trust = await issuers.current()
    return (await verifier.verify(raw, { agentDid: AGENT_DID, now, trust })).checks.at(-1)?.detail
  }
  // The credential was signed for another issuer: the keys are found, but the signature fails.
  expect(await check(`${did}#2026`)).toMatch(/the signature does not match/)
  expect(await check(`${did}#key-1`)).toMatch(/the signature does not match/)
  expect(await check(auditor.vm)).toMatch(/which is not a key of the issuer/)
  expect((await issuers.list()).find((each) => each.did === did)?.keys).toEqual([
    { verificationMethod: `${did}#key-1`, key: other.keypair.publicKey.toBase58() },
    { verificationMethod: `${did}#2026`, key: auditor.keypair.publicKey.toBase58() },
  ])
})

test('a did:key issuer signs with the key in its DID', async () => {
  const did = `did:key:${MULTIBASE}`
  const verificationMethod = `${did}#${MULTIBASE}`
  const given = checkIssuer({ did, ...PLAIN })
  expect(given).toMatchObject({ did, keys: [{ verificationMethod, key: KEY }] })
  await issuers.put(given as NewIssuer)
  const plain = unsigned('2.0', 'eddsa-jcs-2022', did)
  const checkWith = async (signer: typeof auditor, proof: Json) => {
    const raw = await seal(plain, 'eddsa-jcs-2022', signer, proof)
    return verifier.verify(raw, { agentDid: AGENT_DID, now, trust: await issuers.current() })
  }
  expect(await checkWith(auditor, { verificationMethod })).toMatchObject({ issuer: did, proofVerified: true })
  expect((await checkWith(other, { verificationMethod })).proofVerified).toBe(false)
  expect((await checkWith(auditor, {})).proofVerified).toBe(false)
  await issuers.remove(did)
})

const webOf = (length: number): string => `did:web:${'a'.repeat(length - 8)}`

describe('issuers are accepted', () => {
  const date = '2026-01-01T00:00:00.000Z'
  const longType = `A${'9'.repeat(127)}`
  test.each([
    ['for one moment', { notBefore: date, notAfter: date }, {}],
    ['with an end only', { notAfter: date }, { notBefore: null }],
    ['with a type of 128 letters and digits', { types: [longType] }, { allowedTypes: [longType] }],
    ['for every type', {}, { allowedTypes: null }],
  ])('%s', (_, given, shown) => {
    const { types: __, ...same } = { types: [], ...given }
    expect(issuer(given)).toMatchObject({ ...same, ...shown, keys: auditor.trusted.keys })
  })

  test.each([
    ['of 256 characters', webOf(256), ['key-1']],
    ['with a port and a path', 'did:web:a-1.example%3A65535:b.c:d_~%20', ['key-1']],
    ['with names of keys of up to 128 characters', 'did:web:a.example', ['key-1', 'k'.repeat(128)]],
  ])('did:web %s', (_, did, names) => {
    const keys = names.map((name) => (name === 'key-1' ? MULTIBASE : `${name}=${MULTIBASE}`))
    const expected = names.map((name) => ({ verificationMethod: `${did}#${name}`, key: KEY }))
    expect(checkIssuer({ ...PLAIN, did, keys })).toMatchObject({ did, keys: expected })
  })

  test('a type that is given twice counts once', () => {
    expect(issuer({ types: ['identity', 'IdentityCredential', 'Other'] }).allowedTypes).toEqual([
      'IdentityCredential',
      'Other',
    ])
  })
})

describe('invalid issuers are refused', () => {
  const web = (...keys: string[]) => ({ did: 'did:web:a.example', keys })
  test.each<[string, Partial<GivenIssuer>, RegExp]>([
    ['another method', { did: 'did:ethr:0x1' }, /is not a did:sol/],
    ['a cluster prefix', { did: auditor.did.replace('sol:', 'sol:devnet:') }, /is not a did:sol/],
    ['the System Program', { did: `did:sol:${'1'.repeat(32)}` }, /anyone could sign/],
    [
      'did:key of another curve',
      { did: 'did:key:zDnaegE6RR3atJtHKwTRTWHsJ3kNHqFwv7n9YjTgmU7TyfU76' },
      /is not/,
    ],
    ['did:key with a key of small order', { did: `did:key:${SMALL_ORDER}` }, /anyone could sign/],
    ['did:key with a fragment', { did: `did:key:${MULTIBASE}#${MULTIBASE}` }, /is not a did:sol/],
    ['did:sol with a path', { did: `${auditor.did}/x` }, /is not a did:sol/],
    ['a DID of 257 characters', { did: webOf(257), keys: [MULTIBASE] }, /is not a did:sol/],
    ['did:web with text before it', { did: 'x did:web:a.example', keys: [MULTIBASE] }, /is not a did:sol/],
    ['did:web with a fragment', { did: 'did:web:a.example#x', keys: [MULTIBASE] }, /is not a did:sol/],
    ['did:web with a port of six digits', { did: 'did:web:a%3A123456', keys: [MULTIBASE] }, /is not a/],
    ['did:web without a port after %3A', { did: 'did:web:a%3A', keys: [MULTIBASE] }, /is not a did:sol/],
    ['did:web with an empty path', { did: 'did:web:a.example:', keys: [MULTIBASE] }, /is not a did:sol/],
    ['did:web without a host', { did: 'did:web:', keys: [MULTIBASE] }, /is not a did:sol/],
    ['a pinned key for a DID that contains its key', { keys: ['z6Mk'] }, /leave it out/],
    ['did:web without key', { did: 'did:web:a.example' }, /pin its keys with --key/],
    ['did:web with no key', web('z6Mkgarbage'), /is not an Ed25519 key/],
    ['did:web with a key of small order', web(SMALL_ORDER), /small order/],
    ['two keys of the same name', web(MULTIBASE, `key-1=${OTHER_MULTIBASE}`), /two keys are called key-1/],
    ...[
      `${MULTIBASE} `,
      ` ${MULTIBASE}`,
      `a b=${MULTIBASE}`,
      `=${MULTIBASE}`,
      `${'k'.repeat(129)}=${MULTIBASE}`,
    ].map((key): [string, Partial<GivenIssuer>, RegExp] => [
      `did:web with the key ${JSON.stringify(key)}`,
      web(key),
      /is not an Ed25519 key/,
    ]),
    ['a start without zone', { notBefore: '2027-01-01T00:00:00' }, /need a time and a zone/],
    ['a date without zone', { notAfter: '2027-01-01' }, /need a time and a zone/],
    ['never', { notBefore: '2027-01-01T00:00:00Z', notAfter: '2026-01-01T00:00:00Z' }, /never/],
    [
      'an end one millisecond before the start',
      { notBefore: '2026-01-01T00:00:00.001Z', notAfter: '2026-01-01T00:00:00Z' },
      /never/,
    ],
    ['an empty type', { types: [''] }, /is not a credential type/],
    ['a type that starts with a digit', { types: ['9A'] }, /is not a credential type/],
    ['a type of 129 letters', { types: ['A'.repeat(129)] }, /is not a credential type/],
    ['an invalid type', { types: ['a:b'] }, /is not a credential type/],
  ])('%s', (_, given, text) => {
    expect(issuer(given)).toMatch(text)
  })
})

test('the command line adds, lists, disables and removes', async () => {
  const env = { DATABASE_URL: urlOf(database), DATA_DIR: temporaryFolder('issuers-') }
  const run = (...args: string[]) => runCommand(env, '--json', 'issuer', ...args)
  const cli = async (...args: string[]): Promise<Json> => {
    const { stdout, stderr } = await run(...args)
    expect(stderr).toBe('')
    return JSON.parse(stdout)
  }
  const { did } = other
  const options = ['--types', 'SecurityAudit,Identity', '--not-after', '2030-01-01T00:00:00+01:00']
  const added = await cli('add', did, ...options)
  expect(added).toMatchObject({
    outcome: 'added',
    issuer: {
      did,
      allowedTypes: ['SecurityAuditCredential', 'IdentityCredential'],
      notAfter: '2029-12-31T23:00:00.000Z',
    },
  })
  expect(await cli('disable', did)).toEqual({ did, done: 'disable' })
  const found = (await cli('list')).issuers.find((each: Json) => each.did === did)
  expect(found).toMatchObject({ enabled: false, keys: [{ verificationMethod: `${did}#key-1` }] })
  expect(await cli('remove', did)).toEqual({ did, done: 'remove' })
  const refused = await run('enable', did)
  expect(refused.code).toBe(1)
  expect(JSON.parse(refused.stderr)).toEqual({ error: `${did} is not a trusted issuer` })
})
