import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { CARD_TIMING } from '../../../src/identity/agent-cards/limits.ts'
import {
  createCredentialStore,
  MAX_CREDENTIALS,
} from '../../../src/identity/credentials/attached/credential-store.ts'
import {
  createTrustedIssuers,
  type TrustedIssuers,
} from '../../../src/identity/credentials/trusted-issuers.ts'
import { getRulesVersion } from '../../../src/identity/credentials/verify/result.ts'
import { createMetrics } from '../../../src/platform/metrics/metrics.ts'
import { useTestApp } from '../../support/app.ts'
import { contexts, createTestIssuer, type Json, NOW, unsigned } from '../../support/identity/issuer.ts'
import { agentRow, insertAgents, keyOf } from '../../support/factories.ts'
import { type GraphQLAnswer, query } from '../../support/graphql.ts'
import { responseOf } from '../../support/refusal.ts'
import { walletOf } from '../../support/wallet.ts'
import { startHost } from '../../support/identity/host.ts'
import type { Verdict } from '../../../src/domain/credential-verdict.ts'
import { perFile } from '../../support/lifetime.ts'

const CHECKS = ['context', 'type', 'subject', 'temporal', 'proof_present', 'proof_verified']
const FIELDS = [
  'type',
  'issuer',
  'credential_url',
  'vc_hash',
  'valid_from',
  'valid_until',
  'structurally_valid',
  'proof_verified',
  'indexed_at',
]
const DAY = 86_400_000

const owner = walletOf('owner')
const stranger = walletOf('stranger')
const issuer = createTestIssuer('Ossian Labs')
const PDA = keyOf('agent Kestrel')
const PATH = `/agents/${PDA}/credentials`

let now = NOW
const clock = { now: () => now }
const host = perFile(() => startHost())
const t = useTestApp(() => ({
  clock,
  hosted: { http: host.http, gateways: { ipfs: host.origin, arweave: null } },
}))
let issuers: TrustedIssuers
beforeAll(async () => {
  issuers = createTrustedIssuers({ em: t.database.orm.em, clock })
  await insertAgents(t.kysely, [agentRow('Kestrel', { owner: owner.pubkey }), 'Other'])
})
beforeEach(async () => {
  now += 10_000
  await t.kysely.deleteFrom('agent_credentials').execute()
  await issuers.put({ ...issuer.trusted, allowedTypes: null })
})

interface Answer {
  status: number
  body: Json
}

/** Sends a signed request. Each has its own timestamp, because a signature is valid once. */
async function verify(body: object, wallet = owner, pda: string = PDA): Promise<Answer> {
  now += 1_000
  const url = `/agents/${pda}/credentials/verify`
  const headers = wallet.headers('POST', url, now)
  return responseOf(await t.app.inject({ method: 'POST', url, payload: body, headers }))
}

async function mutate(source: object | undefined, wallet = owner): Promise<GraphQLAnswer> {
  now += 1_000
  const response = await t.app.inject({
    method: 'POST',
    url: '/graphql',
    headers: wallet.headers('POST', '/graphql', now),
    payload: {
      query: `mutation ($pda: Pubkey!, $source: CredentialSource!) {
        verifyCredential(pda: $pda, source: $source) {
          structurallyValid proofVerified type issuer vcHash checks { check passed }
        }
      }`,
      variables: { pda: PDA, source },
    },
  })
  return response.json()
}

async function list(parameters = '', pda: string = PDA): Promise<Json> {
  return (await t.app.inject(`/agents/${pda}/credentials${parameters}`)).json()
}

/** Issues a credential about the agent. `change` is applied before signing. */
function issue(change: object = {}, type = 'SecurityAuditCredential'): Promise<Json> {
  const credential = unsigned('2.0', 'Ed25519Signature2020', issuer.did, type)
  credential.credentialSubject.id = `did:sol:${owner.pubkey}`
  return issuer.sign({ ...credential, ...change }, 'Ed25519Signature2020')
}

const serve = (path: string, credential: unknown): string => host.serve(path, JSON.stringify(credential))
const passed = (answer: Json): [string, boolean][] =>
  answer.checks.map((each: Json) => [each.check, each.passed])
const failedChecks = (answer: Json): string[] =>
  passed(answer).flatMap(([name, isPassed]) => (isPassed ? [] : [name]))

describe('POST /agents/:pda/credentials/verify', () => {
  test('a hosted credential is verified, attached and listed', async () => {
    const url = serve('/vc/audit.json', await issue())
    const { status, body } = await verify({ credentialUrl: url })
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual([
      'structurallyValid',
      'proofVerified',
      'type',
      'issuer',
      'vcHash',
      'checks',
    ])
    expect(body).toMatchObject({
      structurallyValid: true,
      proofVerified: true,
      type: 'SecurityAuditCredential',
      issuer: issuer.did,
      vcHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    })
    expect(passed(body)).toEqual(CHECKS.map((name) => [name, true]))

    const { pda, total, credentials } = await list()
    expect([pda, total]).toEqual([PDA, 1])
    expect(Object.keys(credentials[0])).toEqual(FIELDS)
    expect(credentials).toEqual([
      {
        type: 'SecurityAuditCredential',
        issuer: issuer.did,
        credential_url: url,
        vc_hash: body.vcHash,
        valid_from: '2026-11-01T00:00:00.000Z',
        valid_until: '2027-11-01T00:00:00.000Z',
        structurally_valid: true,
        proof_verified: true,
        indexed_at: new Date(now).toISOString(),
      },
    ])
  })

  test('an inline credential is verified but not attached, and has the same hash as a hosted one', async () => {
    const credential = await issue()
    const inline = await verify({ credential })
    expect(inline.body).toMatchObject({ structurallyValid: true, proofVerified: true })
    expect((await list()).total).toBe(0)
    const hosted = await verify({
      credentialUrl: host.serve('/vc/spaced.json', JSON.stringify(credential, null, 2)),
    })
    expect(hosted.body).toEqual(inline.body)
  })

  test('null counts as a source that is missing', async () => {
    const credential = await issue()
    const credentialUrl = serve('/vc/null.json', credential)
    for (const body of [
      { credential, credentialUrl: null },
      { credential: null, credentialUrl },
    ]) {
      expect(await verify(body)).toMatchObject({ status: 200, body: { proofVerified: true } })
    }
    for (const source of [{ credential }, { credentialUrl }])
      expect(await mutate(source)).toMatchObject({ data: { verifyCredential: { proofVerified: true } } })
  })

  test('GraphQL returns the same result', async () => {
    const url = serve('/vc/graphql.json', await issue())
    const rest = await verify({ credentialUrl: url })
    const { data } = await mutate({ credentialUrl: url })
    const { checks, ...result } = (data as Json).verifyCredential
    expect(result).toEqual({ ...rest.body, checks: undefined })
    expect(checks.map(({ check }: Json) => check)).toEqual(CHECKS.map((name) => name.toUpperCase()))
    expect((await list()).total).toBe(1)
  })

  test('a changed credential fails checks with a detail', async () => {
    const { body } = await verify({ credential: { ...(await issue()), proof: [] } })
    expect(passed(body).map(([name]) => name)).toEqual(CHECKS)
    expect(failedChecks(body)).toEqual(['proof_present', 'proof_verified'])
    expect(body.proofVerified).toBe(false)
    expect(body.checks.every(({ detail }: Json) => detail.length > 10)).toBe(true)
  })

  test('a structurally invalid credential is not attached', async () => {
    const other = serve(
      '/vc/other.json',
      await issue({ credentialSubject: { id: `did:sol:${stranger.pubkey}` } }),
    )
    expect((await verify({ credentialUrl: other })).body).toMatchObject({
      structurallyValid: false,
      proofVerified: true,
    })
    const noCredential = host.serve('/vc/page.html', '<html>')
    expect((await verify({ credentialUrl: noCredential })).body).toMatchObject({
      structurallyValid: false,
      vcHash: '',
    })
    expect((await list()).total).toBe(0)
  })

  test('a new credential at the same URL replaces the old one', async () => {
    const url = serve('/vc/renewed.json', await issue())
    await verify({ credentialUrl: url })
    serve('/vc/renewed.json', await issue({ validUntil: '2029-01-01T00:00:00Z' }))
    const { body } = await verify({ credentialUrl: url })
    expect((await list()).credentials).toMatchObject([
      { vc_hash: body.vcHash, valid_until: '2029-01-01T00:00:00.000Z' },
    ])
  })

  test.each(['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+14:00', '9999-12-31T23:59:59-14:00'])(
    'a date that the database cannot store fails a check, not the request: %s',
    async (validFrom) => {
      const credential = { ...(await issue()), validFrom, validUntil: '9999-12-31T23:59:59-14:00' }
      const { status, body } = await verify({ credentialUrl: serve('/vc/year.json', credential) })
      expect([status, failedChecks(body)]).toEqual([200, ['temporal', 'proof_verified']])
      expect((await list()).total).toBe(0)
    },
  )

  test('text that the database cannot store fails a check, not the request', async () => {
    const strange = { ...(await issue()), issuer: 'did:sol:\0' }
    const { status, body } = await verify({ credentialUrl: serve('/vc/nul.json', strange) })
    expect([status, body.proofVerified]).toEqual([200, false])
    expect((await list()).total).toBe(0)
  })
})

describe('invalid requests are refused in a fixed order', () => {
  const ONE_SOURCE = 'Provide exactly one of credentialUrl or credential'
  const SCHEMES = 'credentialUrl must be a URL with scheme https, ipfs or ar, got'

  test('no signature, and an invalid body', async () => {
    const headers = { 'content-type': 'application/json' }
    const url = `${PATH}/verify`
    const response = await t.app.inject({ method: 'POST', url, payload: 'x', headers })
    const error = 'Missing auth headers. Required: X-Wallet-Pubkey, X-Wallet-Signature, X-Wallet-Timestamp'
    expect(responseOf(response)).toMatchObject({ status: 401, body: { error } })
  })

  /** `refusal` is the error, or members of the body. */
  test.each<[string, () => Promise<Answer>, status: number, refusal: string | object]>([
    [
      'an invalid address',
      () => verify({}, owner, 'x'),
      400,
      { details: { code: 'INVALID_PUBKEY', parameter: 'pda' } },
    ],
    ['an unknown agent', () => verify({}, owner, keyOf('nobody')), 404, 'Agent not found'],
    ['the agent of another owner', () => verify({}, stranger), 403, 'Wallet does not own this agent'],
    ['no source', () => verify({}), 400, ONE_SOURCE],
    ['both sources', () => verify({ credentialUrl: 'https://a.test/', credential: {} }), 400, ONE_SOURCE],
    ['null for both', () => verify({ credentialUrl: null, credential: null }), 400, ONE_SOURCE],
    [
      'a list as credential',
      () => verify({ credential: [] }),
      400,
      'credential must be an object, got a list',
    ],
    [
      'a string as credential',
      () => verify({ credential: 'vc' }),
      400,
      'credential must be an object, got "vc"',
    ],
    ['a number as URL', () => verify({ credentialUrl: 7 }), 400, { details: { parameter: 'credentialUrl' } }],
    ['an invalid URL', () => verify({ credentialUrl: 'vc.json' }), 400, `${SCHEMES} "vc.json"`],
    [
      'another scheme',
      () => verify({ credentialUrl: 'did:web:cards.test' }),
      400,
      `${SCHEMES} "did:web:cards.test"`,
    ],
    ['a body over the size limit', () => verify({ credential: { x: 'x'.repeat(140_000) } }), 413, {}],
  ])('%s', async (_, ask, status, refusal) => {
    const body = typeof refusal === 'string' ? { error: refusal } : refusal
    expect(await ask()).toMatchObject({ status, body })
  })

  test.each<[string, () => string, string]>([
    ['a missing document', () => `${host.origin}/nothing`, 'The host responded with status 404'],
    [
      'a host without an address',
      () => host.origin.replace('cards', 'unknown'),
      'The host has no public address',
    ],
    ['an internal address', () => 'https://169.254.169.254/latest', 'The URL must point to a public address'],
    ['http', () => host.origin.replace('https', 'http'), 'The URL must use https'],
    [
      'a document larger than a credential',
      () => host.serve('/vc/large.json', ' '.repeat(32_769)),
      'The document is too large',
    ],
  ])('%s cannot be fetched', async (_, url, message) => {
    const body = { error: 'Credential could not be fetched', message }
    expect(await verify({ credentialUrl: url() })).toMatchObject({ status: 422, body })
  })

  test('GraphQL refuses the same requests', async () => {
    const codes = async (source?: object, wallet = owner) =>
      (await mutate(source, wallet)).errors?.map(({ extensions }) => [extensions.code, extensions.status])
    expect(await codes({ credential: {} }, stranger)).toEqual([['NOT_AGENT_OWNER', 403]])
    for (const source of [
      undefined,
      {},
      { credential: {}, credentialUrl: 'https://a.test/' },
      { credential: {}, credentialUrl: null },
      { credential: null },
      { credentialUrl: null },
    ])
      expect([source, await codes(source)]).toEqual([source, [['INVALID_REQUEST', 400]]])
    expect(await codes({ credential: 'x' })).toEqual([['INVALID_TYPE', 400]])
    expect(await codes({ credentialUrl: `${host.origin}/nothing` })).toEqual([
      ['CREDENTIAL_NOT_FETCHED', 422],
    ])
    const unsignedRequest = await t.app.inject({
      method: 'POST',
      url: '/graphql',
      payload: {
        query: `mutation { verifyCredential(pda: "${PDA}", source: { credentialUrl: "https://a.test/" }) { type } }`,
      },
    })
    expect(unsignedRequest.json().errors[0].extensions).toMatchObject({
      code: 'AUTH_HEADERS_MISSING',
      status: 401,
    })
  })
})

describe('GET /agents/:pda/credentials', () => {
  const types = async (parameters: string): Promise<string[]> =>
    (await list(parameters)).credentials.map(({ type }: Json) => type)

  test('the list can be filtered by type and current validity, newest first', async () => {
    await verify({ credentialUrl: serve('/vc/1', await issue()) })
    await verify({
      credentialUrl: serve(
        '/vc/2',
        await issue({ validUntil: '2026-12-01T00:00:00Z' }, 'IdentityCredential'),
      ),
    })
    expect(await types('')).toEqual(['IdentityCredential', 'SecurityAuditCredential'])
    for (const type of [
      'SecurityAudit',
      'securityaudit',
      'SECURITYAUDITCREDENTIAL',
      'SecurityAuditCredential',
    ]) {
      expect(await types(`?type=${type}`)).toEqual(['SecurityAuditCredential'])
    }
    expect(await list('?type=Compliance')).toEqual({ pda: PDA, total: 0, credentials: [] })
    expect(await types('?active=true')).toHaveLength(2)
    const before = now
    now = Date.parse('2026-12-02T00:00:00Z')
    expect(await types('?active=true')).toEqual(['SecurityAuditCredential'])
    expect((await list('?active=false')).credentials).toMatchObject([
      { type: 'IdentityCredential', structurally_valid: false },
    ])
    now = before
    expect(await types('?active=true&type=identity')).toEqual(['IdentityCredential'])
  })

  test('the list is public, and unknown agents and parameters are refused', async () => {
    expect(await list('', keyOf('agent Other'))).toEqual({
      pda: keyOf('agent Other'),
      total: 0,
      credentials: [],
    })
    expect(await list('', keyOf('nobody'))).toEqual({
      error: 'Agent not found',
      details: { code: 'AGENT_NOT_FOUND' },
    })
    expect(await list('', 'x')).toMatchObject({ details: { code: 'INVALID_PUBKEY', parameter: 'pda' } })
    expect(await list('?active=yes')).toMatchObject({ error: 'active must be true or false, got "yes"' })
    expect(await list('?type=')).toMatchObject({ error: 'type must have 1 to 128 characters, got ""' })
    expect(await list('?kind=x')).toMatchObject({
      error: 'Unknown parameter "kind". Known parameters: type, active',
    })
  })

  test('changes of trusted issuers apply to attached credentials, also for a new issuer', async () => {
    const verified = async (): Promise<boolean> => {
      now += 2_000
      return (await list()).credentials[0].proof_verified
    }
    await issuers.remove(issuer.did)
    now += 2_000
    const { body } = await verify({ credentialUrl: serve('/vc/trust', await issue()) })
    expect(body).toMatchObject({ structurallyValid: true, proofVerified: false })
    expect(await verified()).toBe(false)
    await issuers.put(issuer.trusted)
    expect(await verified()).toBe(true)
    await issuers.setEnabled(issuer.did, false)
    expect(await verified()).toBe(false)
    await issuers.setEnabled(issuer.did, true)
    expect(await verified()).toBe(true)
    await issuers.put({ ...issuer.trusted, allowedTypes: ['IdentityCredential'] })
    expect(await verified()).toBe(false)
  })

  test('a forged credential stays invalid when its issuer becomes trusted', async () => {
    await issuers.remove(issuer.did)
    now += 2_000
    const forged = await issue()
    forged.credentialSubject.auditor = 'Somebody else'
    await verify({ credentialUrl: serve('/vc/forged', forged) })
    await issuers.put(issuer.trusted)
    now += 2_000
    expect((await list()).credentials).toMatchObject([{ structurally_valid: true, proof_verified: false }])
  })

  test('a verdict of other rules or contexts is computed again, once', async () => {
    const count = () => t.metrics.getSingleMetric('gateway_credentials_verification_duration_seconds')!.get()
    const verifications = async (): Promise<number> =>
      (await count()).values.find((each) => (each as Json).metricName?.endsWith('_count'))?.value ?? 0
    const storedVersion = async () => (await store.find([PDA]))[0]!.verdict.rulesVersion
    const store = createCredentialStore(t.database.orm.em)
    const valid = { structurally_valid: true, proof_verified: true }
    const { body } = await verify({ credentialUrl: serve('/vc/rules', await issue()) })
    const [stored] = await store.find([PDA])
    const { rulesVersion, ...withoutVersion } = stored!.verdict
    expect(rulesVersion).toBe(getRulesVersion(contexts))
    const wrong = { ...stored!.verdict, wellFormed: false, signaturesValid: false }
    await store.setVerdict(PDA, body.vcHash, wrong)
    expect((await list()).credentials).toMatchObject([{ structurally_valid: false, proof_verified: false }])
    const olderContexts = getRulesVersion(new Map([...contexts].slice(1)))
    for (const older of [
      { ...wrong, rulesVersion: olderContexts },
      { ...withoutVersion, wellFormed: false },
    ]) {
      await store.setVerdict(PDA, body.vcHash, older as Verdict)
      const before = await verifications()
      expect((await list()).credentials).toMatchObject([valid])
      expect((await list()).credentials).toMatchObject([valid])
      expect(await verifications()).toBe(before + 1)
      expect(await storedVersion()).toBe(rulesVersion)
    }
    await issuers.remove(issuer.did)
    now += 2_000
    await store.setVerdict(PDA, body.vcHash, { ...wrong, rulesVersion: '0:' })
    expect((await list()).credentials).toMatchObject([{ structurally_valid: true, proof_verified: false }])
    expect(await storedVersion()).toBe(rulesVersion)
  })

  test('GraphQL lists credentials of one agent and of all agents', async () => {
    await verify({ credentialUrl: serve('/vc/3', await issue()) })
    const data = await query<Json>(
      t,
      `query ($pda: Pubkey!) {
        credentials(pda: $pda, filter: { type: "securityAudit", active: true }) { totalCount nodes { type proofVerified validFrom } }
        none: credentials(pda: $pda, filter: { type: "securityAudit", active: false }) { totalCount nodes { type } }
        credentialsPage(pda: $pda, filter: { active: true }) { pda total credentials { type } }
        agents(orderBy: { field: NAME, direction: ASC }) { nodes { name credentials { totalCount nodes { agentPda issuer } } } }
      }`,
      { pda: PDA },
    )
    expect(data.credentials).toEqual({
      totalCount: 1,
      nodes: [
        { type: 'SecurityAuditCredential', proofVerified: true, validFrom: '2026-11-01T00:00:00.000Z' },
      ],
    })
    expect(data.none).toEqual({ totalCount: 0, nodes: [] })
    expect(data.credentialsPage).toEqual({
      pda: PDA,
      total: 1,
      credentials: [{ type: 'SecurityAuditCredential' }],
    })
    expect(data.agents.nodes).toEqual([
      { name: 'Kestrel', credentials: { totalCount: 1, nodes: [{ agentPda: PDA, issuer: issuer.did }] } },
      { name: 'Other', credentials: { totalCount: 0, nodes: [] } },
    ])
  })

  test(`an agent has at most ${MAX_CREDENTIALS} credentials`, async () => {
    const credential = await issue()
    const { body } = await verify({ credential })
    const store = createCredentialStore(t.database.orm.em)
    const result = { ...body, validFrom: null, validUntil: null, verdict: { wellFormed: true, types: [] } }
    for (let i = 0; i < MAX_CREDENTIALS + 3; i += 1) {
      await store.attach({
        agentPda: PDA,
        credentialUrl: `https://a.test/${i}`,
        source: 'owner',
        result: { ...result, vcHash: createHash('sha256').update(String(i)).digest('hex') },
        document: Buffer.from('{}'),
        now: now + i,
      })
    }
    const urls = (await store.find([PDA])).map(({ credentialUrl }) => credentialUrl)
    expect(urls).toHaveLength(MAX_CREDENTIALS)
    expect([urls[0], urls.at(-1)]).toEqual([`https://a.test/${MAX_CREDENTIALS + 2}`, 'https://a.test/3'])
  })
})

test('credentials in a matching card are attached, refreshed daily, and removed with the card entry', async () => {
  const [first, second] = [
    serve('/vc/first', await issue()),
    serve('/vc/second', await issue({}, 'IdentityCredential')),
  ]
  const owned = serve('/vc/owned', await issue({}, 'CapabilityCredential'))
  await verify({ credentialUrl: owned })
  const foreign = serve('/vc/foreign', await issue({ credentialSubject: { id: 'did:sol:other' } }))
  const urls = async (): Promise<string[]> => {
    const { credentials } = await list()
    return credentials.map((each: Json) => each.credential_url).sort()
  }
  const publish = async (
    body: string,
    hash = createHash('sha256').update(body).digest('hex'),
  ): Promise<void> => {
    const change = { agent_card_url: host.serve(`/card-${hash}`, body), agent_card_hash: hash }
    await t.kysely.updateTable('agents').set(change).where('pda', '=', PDA).execute()
    // As if the last check was more than a minute ago.
    await sql`update agent_card_checks set next_check_at = now() where state = 'unchecked'`.execute(t.kysely)
  }
  const worker = t.identity.cardWorker(t.metrics, { ...CARD_TIMING, idleMs: 20, credentialsPauseMs: 0 })
  worker.start()
  onTestFinished(() => worker.stop())
  await publish(
    JSON.stringify({ credentials: [first, { url: second }, foreign, 'https://a.test/nothing', 7] }),
  )
  await expect.poll(urls).toEqual([first, owned, second].sort())

  // A card that does not match its hash changes nothing.
  const third = serve('/vc/third', await issue({ validUntil: '2028-01-01T00:00:00Z' }))
  await publish(JSON.stringify({ credentials: [third] }), '00'.repeat(32))
  const state = async () =>
    (await query<Json>(t, 'query ($pda: Pubkey!) { agent(pda: $pda) { card { state } } }', { pda: PDA }))
      .agent.card.state
  await expect.poll(state).toBe('MISMATCHED')
  expect(await urls()).toEqual([first, owned, second].sort())

  await publish(JSON.stringify({ credentials: [second] }))
  await expect.poll(urls).toEqual([owned, second].sort())

  // A day later, the URLs are fetched again.
  serve('/vc/owned', await issue({ validUntil: '2030-01-01T00:00:00Z' }, 'CapabilityCredential'))
  host.serve('/vc/second', { status: 404 })
  now += DAY
  await sql`update agent_card_checks set next_check_at = now()`.execute(t.kysely)
  await expect
    .poll(async () => (await list('?type=capability')).credentials[0].valid_until)
    .toBe('2030-01-01T00:00:00.000Z')
  expect(await urls()).toEqual([owned, second].sort())
})

test('a card at an invalid DID is unreachable', async () => {
  await t.kysely.updateTable('agent_card_checks').set({ claimed_at: null }).execute()
  await sql`update agents set agent_card_url = 'did:sol:nobody' where pda = ${PDA}`.execute(t.kysely)
  const worker = t.identity.cardWorker(createMetrics(), { ...CARD_TIMING, idleMs: 20 })
  worker.start()
  onTestFinished(() => worker.stop())
  const card = () =>
    t.kysely
      .selectFrom('agent_card_checks')
      .select(['state', 'reason'])
      .where('agent_pda', '=', PDA)
      .executeTakeFirst()
  await expect.poll(card).toEqual({
    state: 'unreachable',
    reason: 'The did:sol DID has no valid public key',
  })
})
