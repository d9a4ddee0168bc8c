import { Keypair } from '@solana/web3.js'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { audit } from '../../src/ledger/audit/audit.ts'
import { createInviteCodes } from '../../src/transactions/invite-codes.ts'
import { createRegistryWorld, programId, type RegistryWorld } from '../support/ledger/registry-world.ts'
import { kyselyOf } from '../support/ledger/tables.ts'
import { keyOf, type Prepared, toJson, signed } from '../support/transactions/relay-world.ts'
import { registrationOf } from '../support/transactions/parties.ts'
import { createTestDatabase, urlOf } from '../support/database.ts'
import { createGatewayProcess, type GatewayProcess } from '../support/gateway-process.ts'
import { startReceiver } from '../support/receiver.ts'
import { walletOf } from '../support/wallet.ts'
import { scaled } from '../support/machine-speed.ts'
import { perFile } from '../support/lifetime.ts'

const ROLES = ['api', 'api', 'indexer,cards', 'indexer,cards', 'webhooks', 'webhooks'] as const
const WEBHOOKS = 8
const REPORTS = 12
const SECONDS = { timeout: scaled(60_000), interval: 100 }
/** Shorter than in production, so that the leases of a killed worker expire during the test. */
const LIMITS = { deadlineMs: 6_000, leaseMs: 10_000, pollMs: 100, reclaimMs: 200 }

const world = perFile(() => createRegistryWorld({ slotMs: 100 }))
const database = perFile(() => createTestDatabase())
const receiver = perFile(() => startReceiver())
let agent: Awaited<ReturnType<RegistryWorld['wallet']>>
const gateways: GatewayProcess[] = []
const urls: string[] = []
const feePayer = Keypair.generate()

beforeAll(async () => {
  agent = await world.wallet('Ada')
  await world.connection.requestAirdrop(feePayer.publicKey, 5_000_000_000)
  for (const roles of ROLES)
    gateways.push(
      await createGatewayProcess(
        {
          ROLES: roles,
          DATABASE_URL: urlOf(database),
          ...world.env,
          FEE_PAYER_KEYPAIR: JSON.stringify([...feePayer.secretKey]),
          WEBHOOK_DEV_MODE: 'true',
          TRUST_PROXY: '127.0.0.1',
          LOG_LEVEL: 'info',
        },
        LIMITS,
      ),
    )
  for (const gateway of gateways) urls.push((await gateway.start()).baseUrl)
})
afterAll(async () => {
  for (const gateway of gateways) await gateway.remove()
})

async function call(
  replica: number,
  path: string,
  client: string,
  init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': client, ...init.headers }
  return fetch(`${urls[replica]}${path}`, { ...init, headers })
}
const statusesOf = async (responses: Promise<Response>[]): Promise<Record<number, number>> => {
  const statuses = (await Promise.all(responses)).map(({ status }) => status)
  return Object.fromEntries(
    [...new Set(statuses)].map((each) => [each, statuses.filter((other) => other === each).length]),
  )
}
const list = (replica: number, client: string, headers: Record<string, string>): Promise<Response> =>
  call(replica, '/webhooks', client, { headers })

async function register(replica: number, client: string, inviteCode: string): Promise<Response> {
  const owner = Keypair.generate()
  const post = (path: string, body: object): Promise<Response> =>
    call(replica, path, client, { method: 'POST', body: JSON.stringify({ ...body, ...signer }) })
  const signer = { signerPubkey: keyOf(owner), inviteCode }
  const instructions = [toJson(registrationOf(keyOf(owner), keyOf(feePayer)))]
  const prepared = await post('/sponsor/register', { instructions })
  if (prepared.status !== 200) return prepared
  const { id, serializedTx } = (await prepared.json()) as Prepared
  return post('/sponsor/register/submit', { id, signedTx: signed({ serializedTx }, owner) })
}

function arrived(): Map<string, string[]> {
  const ids = new Map<string, string[]>()
  for (const { path, headers, body } of receiver.requests) {
    const { id } = JSON.parse(body.toString()) as { id: string }
    expect(headers['content-type']).toContain('application/json')
    ids.set(path, [...(ids.get(path) ?? []), id])
  }
  return ids
}
const distinct = (): number[] => [...arrived().values()].map((ids) => new Set(ids).size)
const all = (count: number): number[] => Array.from({ length: WEBHOOKS }, () => count)
let reports = 0
async function report(delta: number): Promise<void> {
  await world.report(agent.agent, delta)
  reports += 1
}

async function attemptsOf(worker: number): Promise<number> {
  const text = await (await fetch(`${urls[worker]}/metrics`)).text()
  const values = text.matchAll(/^gateway_webhooks_attempts_total\{.*\} (\d+)$/gm)
  return [...values].reduce((sum, [, value]) => sum + Number(value), 0)
}

test('every process becomes ready in its role', async () => {
  for (const url of urls)
    await expect.poll(async () => (await fetch(`${url}/ready`)).status, SECONDS).toBe(200)
})

test('a signature is accepted once by two replicas, also with concurrent requests', async () => {
  const signed = walletOf('replay').headers('GET', '/webhooks', Date.now())
  expect((await list(0, '198.51.100.2', signed)).status).toBe(200)
  expect((await list(1, '198.51.100.3', signed)).status).toBe(401)
  const raced = walletOf('race').headers('GET', '/webhooks', Date.now())
  const responses = [0, 1, 0, 1].map((replica, i) => list(replica, `198.51.100.${4 + i}`, raced))
  expect(await statusesOf(responses)).toEqual({ 200: 1, 401: 3 })
})

test('the uses of an invite code and the registrations of a client are counted over both replicas', async () => {
  const codes = createInviteCodes(database.orm.em)
  const few = await codes.create({ maxUses: 3, expiresAt: null })
  const clients = Array.from({ length: 8 }, (_, i) => register(i % 2, `203.0.113.${i}`, few.code))
  expect(await statusesOf(clients)).toMatchObject({ 200: 3 })
  const many = await codes.create({ maxUses: 20, expiresAt: null })
  const client = Array.from({ length: 10 }, (_, i) => register(i % 2, '203.0.113.99', many.code))
  expect(await statusesOf(client)).toEqual({ 200: 5, 429: 5 })
})

test('two workers share the deliveries, and each delivery arrives once', async () => {
  const types = (await (await call(0, '/webhooks/event-types', '198.51.100.20')).json()) as object
  const [eventTypes] = Object.values(types) as string[][]
  for (let i = 0; i < WEBHOOKS; i += 1) {
    const headers = walletOf(`owner ${i}`).headers('POST', '/webhooks', Date.now())
    const body = JSON.stringify({ url: receiver.url(`/${i}`), eventTypes, filterAgentPda: agent.agent })
    const made = await call(i % 2, '/webhooks', `198.51.100.${30 + i}`, { method: 'POST', headers, body })
    expect(made.status).toBe(201)
  }
  receiver.respondWith((_, response) => void setTimeout(() => response.end(), 100))
  for (let i = 0; i < REPORTS; i += 1) await report(i % 2 === 0 ? 1 : -1)
  // One worker can be faster than the other for a while.
  await expect
    .poll(async () => {
      const attempts = await Promise.all([4, 5].map(attemptsOf))
      if (attempts.includes(0)) await report(reports % 2 === 0 ? 1 : -1)
      return Math.min(...attempts)
    }, SECONDS)
    .toBeGreaterThan(0)
  await expect.poll(distinct, SECONDS).toEqual(all(reports))
  expect([...arrived().values()].map((ids) => ids.length)).toEqual(all(reports))
})

test('after kill -9 of the indexer the standby continues, and nothing is duplicated', async () => {
  const phase = async (index: number): Promise<string> => {
    const health = (await (await fetch(`${urls[index]}/health/detailed`)).json()) as {
      indexer: { phase: string }
    }
    return health.indexer.phase
  }
  const [leader, standby] = (await phase(2)) === 'live' ? [2, 3] : [3, 2]
  expect([await phase(leader), await phase(standby)]).toEqual(['live', 'standby'])
  await gateways[leader]?.kill()
  await report(1)
  await expect.poll(() => phase(standby), SECONDS).toBe('live')
  await expect.poll(distinct, SECONDS).toEqual(all(reports))
  expect([...arrived().values()].map((ids) => ids.length)).toEqual(all(reports))
  const { differences } = await audit({ orm: database.orm, rpc: world.rpc, programId })
  expect(differences).toEqual([])
})

test('after kill -9 of a worker the other worker finishes its deliveries', async () => {
  const open: (() => void)[] = []
  receiver.respondWith((_, response) => void open.push(() => response.end()))
  const kysely = kyselyOf(database.orm)
  const before = await attemptsOf(4)
  // The worker that is killed must have claimed some deliveries. The responses to the other worker
  // free its share, because a webhook has at most four attempts in flight.
  await expect
    .poll(
      async () => {
        for (const respond of open.splice(0)) respond()
        await report(1)
        await expect.poll(distinct, SECONDS).toEqual(all(reports))
        const text = await (await fetch(`${urls[4]}/metrics`)).text()
        const lanes = [...text.matchAll(/^gateway_webhooks_in_flight\{.*\} (\d+)$/gm)]
        return lanes.reduce((sum, [, count]) => sum + Number(count), 0)
      },
      { ...SECONDS, timeout: scaled(120_000) },
    )
    .toBeGreaterThan(0)
  await gateways[4]?.kill()
  receiver.respondWith({ status: 200 })
  for (const respond of open) respond()
  await expect.poll(distinct, SECONDS).toEqual(all(reports))
  const unfinished = sql<{ count: number }>`
    select count(*)::integer as count from webhook_deliveries where status <> 'success'`
  await expect.poll(async () => (await unfinished.execute(kysely)).rows[0]?.count, SECONDS).toBe(0)
  expect(before).toBeGreaterThan(0)
})
