import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { CARD_TIMING } from '../../../src/identity/agent-cards/limits.ts'
import { createTrustedIssuers } from '../../../src/identity/credentials/trusted-issuers.ts'
import { createMetrics } from '../../../src/platform/metrics/metrics.ts'
import { useTestApp } from '../../support/app.ts'
import { createTestIssuer, type Json, NOW, unsigned } from '../../support/identity/issuer.ts'
import { type ListOptions, statusEntry, statusList } from '../../support/identity/status-list.ts'
import { agentRow, insertAgents, keyOf } from '../../support/factories.ts'
import { query } from '../../support/graphql.ts'
import { startHost, type TestHost } from '../../support/identity/host.ts'
import { walletOf } from '../../support/wallet.ts'
import { perFile } from '../../support/lifetime.ts'

const CHECKS = ['context', 'type', 'subject', 'temporal', 'proof_present', 'proof_verified', 'status']
const MINUTE = 60_000
const DAY = 86_400_000

const owner = walletOf('owner')
const issuer = createTestIssuer('Ossian Labs')
const PDA = keyOf('agent Kestrel')

let now = NOW
const host = perFile(() => startHost())
const t = useTestApp(() => ({
  clock: { now: () => now },
  hosted: { http: host.http, gateways: { ipfs: null, arweave: null } },
}))
beforeAll(async () => {
  await insertAgents(t.kysely, [agentRow('Kestrel', { owner: owner.pubkey })])
  const issuers = createTrustedIssuers({ em: t.database.orm.em, clock: { now: () => now } })
  // Trusted for one type only, which includes the lists for it.
  await issuers.put({ ...issuer.trusted, allowedTypes: ['SecurityAuditCredential'] })
})
beforeEach(async () => {
  now = Date.parse(new Date(now).toISOString().slice(0, 16) + 'Z') + MINUTE
  await t.kysely.deleteFrom('agent_credentials').execute()
})

async function verify(body: object): Promise<Json> {
  now += 1_000
  const url = `/agents/${PDA}/credentials/verify`
  const headers = owner.headers('POST', url, now)
  const response = await t.app.inject({ method: 'POST', url, payload: body, headers })
  expect(response.statusCode).toBe(200)
  return response.json()
}

const list = async (parameters = ''): Promise<Json[]> =>
  (await t.app.inject(`/agents/${PDA}/credentials${parameters}`)).json().credentials

/** Issues a credential about the agent, hosts it and returns its URL. */
async function hostCredential(path: string, credentialStatus: Json): Promise<string> {
  const credential = unsigned('2.0', 'Ed25519Signature2020', issuer.did)
  credential.credentialSubject.id = `did:sol:${owner.pubkey}`
  const signed = await issuer.sign({ ...credential, credentialStatus }, 'Ed25519Signature2020')
  return host.serve(path, JSON.stringify(signed))
}

/** Hosts a list. `headers` are those of its response. */
async function hostList(
  path: string,
  options: ListOptions = {},
  headers: Record<string, string> = {},
): Promise<string> {
  const url = host.origin + path
  const signed = await statusList(issuer, url, options)
  return host.serve(path, { body: JSON.stringify(signed), headers })
}

const fetches = (path: string): number => host.requests().filter((each) => each === path).length
const statusOf = ({ checks }: Json): Json => checks.at(-1)

describe('a credential with a credentialStatus', () => {
  test('has the check status, and does not verify once its issuer revoked it', async () => {
    const listUrl = await hostList('/lists/1')
    const credentialUrl = await hostCredential('/vc/1', statusEntry(listUrl, 94_567))
    const before = await verify({ credentialUrl })
    expect(before.checks.map(({ check, passed }: Json) => [check, passed])).toEqual(
      CHECKS.map((check) => [check, true]),
    )
    expect(before).toMatchObject({ structurallyValid: true, proofVerified: true })
    expect(await list('?active=true')).toMatchObject([{ structurally_valid: true, proof_verified: true }])

    await hostList('/lists/1', { set: [94_567] })
    // The list came without any time, so it is used for five minutes.
    expect((await verify({ credentialUrl })).proofVerified).toBe(true)
    expect(fetches('/lists/1')).toBe(1)
    now += 5 * MINUTE
    const after = await verify({ credentialUrl })
    expect(after).toMatchObject({ structurallyValid: true, proofVerified: false })
    expect(statusOf(after)).toEqual({
      check: 'status',
      passed: false,
      detail: 'revoked: the issuer set entry 94567 of its status list for revocation',
    })
    expect(after.checks.at(-2)).toMatchObject({ check: 'proof_verified', passed: true })
    expect(await list('?active=true')).toEqual([])
    expect(await list('?active=false')).toMatchObject([{ structurally_valid: true, proof_verified: false }])
  })

  test('can be suspended for a time, and each neighbour keeps its own status', async () => {
    const options = { purpose: 'suspension', suite: 'eddsa-jcs-2022' } as const
    const listUrl = await hostList('/lists/2', { ...options, set: [7, 9] }, { 'cache-control': 'no-store' })
    const states = async (): Promise<string[]> => {
      const checked = [6, 7, 8, 9, 10].map(async (index) => {
        const entry = statusEntry(listUrl, index, 'suspension')
        return statusOf(await verify({ credentialUrl: await hostCredential(`/vc/2-${index}`, [entry]) }))
      })
      return (await Promise.all(checked)).map(({ passed, detail }) => (passed ? 'valid' : detail.slice(0, 9)))
    }
    expect(await states()).toEqual(['valid', 'suspended', 'valid', 'suspended', 'valid'])
    await hostList('/lists/2', { ...options, set: [10] }, { 'cache-control': 'no-store' })
    expect(await states()).toEqual(['valid', 'valid', 'valid', 'valid', 'suspended'])
  })

  test('counts as revoked if one of several lists says so, and each list is fetched once', async () => {
    const revocation = await hostList('/lists/3', { set: [1] })
    const suspension = await hostList('/lists/4', { purpose: 'suspension', set: [0, 1] })
    const entries = [
      statusEntry(suspension, 1, 'suspension'),
      { ...statusEntry(`${host.origin}/lists/unread`, 1, 'message'), statusSize: 2 },
      statusEntry(revocation, 1),
    ]
    const credentialUrl = await hostCredential('/vc/3', entries)
    const answers = await Promise.all([1, 2, 3, 4].map(() => verify({ credentialUrl })))
    for (const answer of answers) expect(statusOf(answer).detail).toMatch(/^revoked: /)
    expect(['/lists/3', '/lists/4', '/lists/unread'].map(fetches)).toEqual([1, 1, 0])
    const data = await query<Json>(
      t,
      'query ($pda: Pubkey!) { agent(pda: $pda) { credentials { nodes { status proofVerified } } } }',
      { pda: PDA },
    )
    expect(data.agent.credentials.nodes).toEqual([{ status: 'REVOKED', proofVerified: false }])
  })

  test.each<[string, Parameters<TestHost['serve']>[1], string]>([
    ['is missing', { status: 404 }, 'The host responded with status 404'],
    ['fails', { status: 500 }, 'The host responded with status 500'],
    [
      'redirects to an internal address',
      { status: 302, headers: { location: 'https://169.254.169.254/' } },
      'The host has no public address',
    ],
    ['is too large', { body: ' '.repeat(524_289) }, 'The document is too large'],
  ])('does not verify, with the reason, while the list %s', async (name, reply, reason) => {
    const path = `/lists/broken-${name.replaceAll(' ', '-')}`
    const listUrl = host.serve(path, reply)
    const credentialUrl = await hostCredential(
      `/vc/broken-${name.replaceAll(' ', '-')}`,
      statusEntry(listUrl, 3),
    )
    const answer = await verify({ credentialUrl })
    expect(answer).toMatchObject({ structurallyValid: true, proofVerified: false })
    expect(statusOf(answer)).toEqual({
      check: 'status',
      passed: false,
      detail: `not known: the status list could not be fetched: ${reason}`,
    })
    expect(await list('?active=true')).toMatchObject([{ proof_verified: false }])
    // A failure is not kept.
    await hostList(path)
    expect(await verify({ credentialUrl })).toMatchObject({ proofVerified: true })
  })

  test('costs no fetch unless a trusted issuer signed it', async () => {
    const listUrl = await hostList('/lists/5')
    const credential = unsigned('2.0', 'Ed25519Signature2020', issuer.did)
    const status = { credentialStatus: statusEntry(listUrl, 1) }
    const forged = { ...(await issuer.sign(credential, 'Ed25519Signature2020')), ...status }
    const stranger = createTestIssuer('Stranger')
    const untrusted = await stranger.sign(
      { ...credential, ...status, issuer: stranger.did },
      'Ed25519Signature2020',
    )
    for (const each of [forged, untrusted]) {
      expect(statusOf(await verify({ credential: each }))).toMatchObject({
        check: 'status',
        passed: false,
        detail: expect.stringMatching(/^not checked because (subject|proof_verified) failed$/) as string,
      })
    }
    expect(fetches('/lists/5')).toBe(0)
  })
})

describe('the status of an attached credential', () => {
  const refresh = async (): Promise<void> => {
    const worker = t.identity.cardWorker(createMetrics(), {
      ...CARD_TIMING,
      idleMs: 20,
      credentialsPauseMs: 0,
    })
    await sql`update agent_card_checks set credentials_due_at = now()`.execute(t.kysely)
    worker.start()
    const due = async () =>
      (await t.kysely.selectFrom('agent_card_checks').select('credentials_due_at').executeTakeFirst())
        ?.credentials_due_at
    await expect.poll(due).toBeNull()
    await worker.stop()
  }

  test('is looked up again each day, also if its document is gone', async () => {
    const card = JSON.stringify({ name: 'Kestrel' })
    const change = {
      agent_card_url: host.serve('/card', card),
      agent_card_hash: createHash('sha256').update(card).digest('hex'),
    }
    await t.kysely.updateTable('agents').set(change).where('pda', '=', PDA).execute()
    const listUrl = await hostList('/lists/6')
    const credentialUrl = await hostCredential('/vc/6', statusEntry(listUrl, 12))
    await verify({ credentialUrl })
    host.serve('/vc/6', { status: 404 })
    await hostList('/lists/6', { set: [12] })
    now += DAY
    // Reads never fetch a list.
    expect(await list('?active=true')).toMatchObject([{ proof_verified: true }])
    expect(fetches('/lists/6')).toBe(1)
    await refresh()
    expect(await list('?active=true')).toEqual([])
    expect(await list()).toMatchObject([{ structurally_valid: true, proof_verified: false }])

    // A revoked credential stays revoked while its list cannot be read, a good one for two days.
    host.serve('/lists/6', { status: 500 })
    now += 10 * DAY
    await refresh()
    expect(await list('?active=true')).toEqual([])
    await hostList('/lists/6')
    now += DAY
    await refresh()
    expect(await list('?active=true')).toMatchObject([{ proof_verified: true }])
    host.serve('/lists/6', { status: 500 })
    now += 2 * DAY
    await refresh()
    expect(await list('?active=true')).toMatchObject([{ proof_verified: true }])
    now += MINUTE
    expect(await list('?active=true')).toMatchObject([{ structurally_valid: true, proof_verified: false }])
  })

  test('of an older list never replaces that of a newer one', async () => {
    const listUrl = await hostList('/lists/7', { set: [1] })
    const credentialUrl = await hostCredential('/vc/7', statusEntry(listUrl, 1))
    await verify({ credentialUrl })
    const stored = (await t.kysely.selectFrom('agent_credentials').selectAll().executeTakeFirst())!
    // Another process read the list, and stored its result, a minute later.
    const newer = { state: 'valid', checkedAt: new Date(now + MINUTE).toISOString() } as const
    await t.kysely
      .updateTable('agent_credentials')
      .set({ status: JSON.stringify(newer) as never })
      .execute()
    expect((await verify({ credentialUrl })).proofVerified).toBe(false)
    expect((await list())[0]).toMatchObject({ vc_hash: stored.vc_hash, proof_verified: true })
  })
})
