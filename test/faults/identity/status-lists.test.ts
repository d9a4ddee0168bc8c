import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { CREDENTIAL_FETCHES } from '../../../src/identity/agent-cards/limits.ts'
import { createTrustedIssuers } from '../../../src/identity/credentials/trusted-issuers.ts'
import type { VerificationResult } from '../../../src/identity/credentials/verify/result.ts'
import { createMetrics } from '../../../src/platform/metrics/metrics.ts'
import { createGuardedHttp } from '../../../src/platform/net/guarded-http.ts'
import { useTestApp } from '../../support/app.ts'
import { createTestIssuer, type Json, NOW, unsigned } from '../../support/identity/issuer.ts'
import { seal } from '../../support/identity/seal.ts'
import { statusEntry, statusList } from '../../support/identity/status-list.ts'
import { agentRow, insertAgents, keyOf } from '../../support/factories.ts'
import { type Reply, startReceiver } from '../../support/receiver.ts'
import { walletOf } from '../../support/wallet.ts'
import { scaled } from '../../support/machine-speed.ts'
import { perFile } from '../../support/lifetime.ts'

const PDA = keyOf('agent Kestrel')
const owner = walletOf('owner')
const issuer = createTestIssuer('Ossian Labs')

let now = NOW
const clock = { now: () => now }
const documents = new Map<string, Json>()
/** Accepts connections and requests, and never responds. */
const silent = perFile(() => startReceiver({ reply: () => {} }))
const reply: Reply = ({ path }) => ({ body: JSON.stringify(documents.get(path)) })
const honest = perFile(() => startReceiver({ reply }))
const http = perFile(() =>
  createGuardedHttp({
    devMode: true,
    allowedPorts: [silent.port, honest.port],
    lookup: async () => ['127.0.0.1'],
  }),
)
const t = useTestApp(() => ({ clock, hosted: { http, gateways: { ipfs: null, arweave: null } } }))
beforeAll(async () => {
  await insertAgents(t.kysely, [agentRow('Kestrel', { owner: owner.pubkey })])
  await createTrustedIssuers({ em: t.database.orm.em, clock }).put(issuer.trusted)
})

async function credentialOf(listUrl: string): Promise<Json> {
  const credential = unsigned('2.0', 'eddsa-jcs-2022', issuer.did)
  credential.credentialSubject.id = `did:sol:${owner.pubkey}`
  const credentialStatus = statusEntry(listUrl, 5)
  return seal({ ...credential, credentialStatus }, 'eddsa-jcs-2022', issuer)
}

const verify = async (listUrl: string): Promise<VerificationResult> =>
  t.services.credentials.verify(owner.pubkey, PDA, { credential: await credentialOf(listUrl) })

test('a worker that waits for a list of a silent host stops at once, and the status is kept', async () => {
  const url = honest.url('/credential', 'owner.com')
  const listUrl = honest.url('/list', 'issuer.com')
  documents.set('/list', await statusList(issuer, listUrl))
  documents.set('/credential', await credentialOf(listUrl))
  await t.services.credentials.verify(owner.pubkey, PDA, { credentialUrl: url })
  const read = async () => (await t.services.credentials.list(PDA, {})).credentials
  const before = await read()
  expect(before).toMatchObject([{ proofVerified: true, status: 'valid' }])

  const asked = honest.requests.length
  honest.respondWith(() => {})
  now += 3_600_000
  const worker = t.identity.cardWorker(createMetrics())
  await sql`update agent_card_checks set credentials_due_at = now()`.execute(t.kysely)
  worker.start()
  await honest.received(asked + 1)
  expect(honest.requests.at(-1)?.path).toBe('/list')
  const stoppedAt = performance.now()
  await worker.stop()
  expect(performance.now() - stoppedAt).toBeLessThan(scaled(3_000))
  expect(await read()).toEqual(before)
})

test('lists of silent hosts of one site wait for each other, and those of other sites do not', async () => {
  const hanging = Array.from({ length: 12 }, (_, i) => verify(silent.url(`/list${i}`, `host${i}.slow.com`)))
  await silent.received(CREDENTIAL_FETCHES.perSite)
  const listUrl = honest.url('/other', 'other.com')
  documents.set('/other', await statusList(issuer, listUrl))
  honest.respondWith(reply)
  const startedAt = performance.now()
  expect(await verify(listUrl)).toMatchObject({ proofVerified: true })
  expect(performance.now() - startedAt).toBeLessThan(scaled(3_000))
  expect(silent.requests).toHaveLength(CREDENTIAL_FETCHES.perSite)

  const answers = await Promise.all(hanging)
  const details = answers.map(({ checks }) => checks.at(-1)!.detail)
  const start = 'not known: the status list could not be fetched: '
  for (const detail of details) {
    expect([
      `${start}The host did not respond in time`,
      `${start}Too many other lists of the same host are being fetched`,
    ]).toContain(detail)
  }
  expect(answers.some(({ proofVerified }) => proofVerified)).toBe(false)
})
