import { Keypair } from '@solana/web3.js'
import { beforeAll, expect, test } from 'vitest'
import { keyOf, type Prepared, toJson, signed } from '../../support/transactions/relay-world.ts'
import { registrationOf } from '../../support/transactions/parties.ts'
import { createIncidentWorld, type Replica } from '../support/incident-world.ts'
import { scaled } from '../../support/machine-speed.ts'
import { perFile } from '../../support/lifetime.ts'
import { callJson } from '../../support/http.ts'

const SOON = { timeout: scaled(60_000), interval: 100 }
/** Lamports, as in ops/alerts.yaml. */
const FEE_PAYER_LOW = 200_000_000
const FIRST_BALANCE = 30_000_000
const REGISTRATIONS = 3

const incident = perFile(() => createIncidentWorld())
let api: Replica
let clients = 0
const codes: { code: string; id: string }[] = []

beforeAll(async () => {
  await airdrop(FIRST_BALANCE)
  api = await incident.start({ ROLES: 'api,indexer' })
  for (let i = 0; i < 2; i += 1) {
    const { stdout } = await api.cli('--json', 'invite', 'create', '--uses', '100')
    codes.push(JSON.parse(stdout) as { code: string; id: string })
  }
})

const airdrop = (lamports: number): Promise<string> =>
  incident.world.connection.requestAirdrop(incident.feePayer.publicKey, lamports)
const balance = (): Promise<number> => incident.world.connection.getBalance(incident.feePayer.publicKey)
const codeOf = (index: number): string => codes[index]?.code ?? ''

async function post<Body>(path: string, body: object): Promise<Body & { http: number }> {
  clients += 1
  const headers = { 'x-forwarded-for': `198.51.100.${clients}` }
  const answer = await callJson<Body>(`${api.url}${path}`, body, headers)
  return { ...answer.body, http: answer.status }
}
const prepare = (owner: Keypair, inviteCode: string) =>
  post<Prepared & { error?: string }>('/sponsor/register', {
    instructions: [toJson(registrationOf(keyOf(owner), keyOf(incident.feePayer)))],
    signerPubkey: keyOf(owner),
    inviteCode,
  })

test('when the fee payer is low FeePayerLow fires and nothing is sponsored, until it receives SOL', async () => {
  expect(await api.metric('gateway_sponsorship_fee_payer_lamports')).toBeLessThan(FEE_PAYER_LOW)
  expect(await prepare(Keypair.generate(), codeOf(0))).toMatchObject({ http: 503 })
  const health = (await (await fetch(`${api.url}/health/detailed`)).json()) as {
    feePayer: { pubkey: string }
  }
  expect(health.feePayer.pubkey).toBe(keyOf(incident.feePayer))
  await airdrop(5_000_000_000)
  await expect
    .poll(() => api.metric('gateway_sponsorship_fee_payer_lamports'), SOON)
    .toBeGreaterThan(FEE_PAYER_LOW)
  await expect.poll(async () => (await prepare(Keypair.generate(), codeOf(0))).http, SOON).toBe(200)
})

test('when a code leaks, the counter of SponsorshipSpendsFast shows the spending, and revoke stops the code', async () => {
  const before = await balance()
  expect(await api.metric('gateway_sponsorship_spent_lamports_total')).toBe(0)
  const thieves = Array.from({ length: REGISTRATIONS }, () => Keypair.generate())
  for (const owner of thieves) {
    const { id, serializedTx } = await prepare(owner, codeOf(1))
    const request = { id, signedTx: signed({ serializedTx }, owner), signerPubkey: keyOf(owner) }
    const submitted = await post('/sponsor/register/submit', { ...request, inviteCode: codeOf(1) })
    expect(submitted).toMatchObject({ status: 'confirmed' })
  }
  const spent = before - (await balance())
  expect(spent).toBeGreaterThan(REGISTRATIONS * 1_000_000)
  await expect.poll(() => api.metric('gateway_sponsorship_spent_lamports_total'), SOON).toBe(spent)

  const listed = await api.cli('invite', 'list')
  expect(listed.stdout).toContain(`${codes[1]?.id}  ${REGISTRATIONS} of 100 used`)
  const waiting = Keypair.generate()
  const { id, serializedTx } = await prepare(waiting, codeOf(1))
  expect(await api.cli('invite', 'revoke', codes[1]?.id ?? '')).toMatchObject({ code: 0 })
  expect(await prepare(Keypair.generate(), codeOf(1))).toMatchObject({ http: 403 })
  const late = { id, signedTx: signed({ serializedTx }, waiting), signerPubkey: keyOf(waiting) }
  expect(await post('/sponsor/register/submit', { ...late, inviteCode: codeOf(1) })).toHaveProperty('error')
  expect(before - (await balance())).toBe(spent)
})

test('SPONSORSHIP_ENABLED=false stops sponsorship, and everything else continues', async () => {
  await api.restart({ SPONSORSHIP_ENABLED: 'false' })
  expect(await prepare(Keypair.generate(), codeOf(0))).toMatchObject({ http: 503 })
  const info = (await (await fetch(`${api.url}/info`)).json()) as { feeSponsorshipEnabled: boolean }
  expect(info.feeSponsorshipEnabled).toBe(false)
  await expect.poll(async () => (await fetch(`${api.url}/agents`)).status, SOON).toBe(200)
})
