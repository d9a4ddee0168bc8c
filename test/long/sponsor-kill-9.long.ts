import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Connection, Keypair, PublicKey } from '@solana/web3.js'
import { beforeEach, expect, test, vi } from 'vitest'
import { pubkey, type Pubkey } from '@agent-registry/solana'
import type { Runtime } from '../../src/compose/runtime-file.ts'
import { openSession } from '../../src/db/session.ts'
import { createLocalnetRpc } from '../../src/ledger/rpc/ledger-rpc.ts'
import { json, type Prepared } from '../support/transactions/sponsor-clients.ts'
import { sponsoredRegistration } from '../support/transactions/parties.ts'
import { keyOf } from '../support/transactions/hostile-world.ts'
import { SPONSORSHIP_LOCK } from '../../src/transactions/quota.ts'
import { createTestDatabase, urlOf } from '../support/database.ts'
import { createGatewayProcess } from '../support/gateway-process.ts'
import { scaled } from '../support/machine-speed.ts'
import { signed } from '../support/transactions/relay-world.ts'
import { perFile } from '../support/lifetime.ts'
import { callJson, readJson } from '../support/http.ts'

const FAR = 600_000
const PAUSE_LOCK = 1
/** Ends only a test that fails. */
const WAIT_MS = scaled(60_000)
/** Of this database only: tests of other files have locks, too. */
const ADVISORY_LOCKS = `select from pg_locks where locktype = 'advisory'
  and database = (select oid from pg_database where datname = current_database())`

const database = perFile(() => createTestDatabase())
const sql = perFile(() => openSession(database.orm))
const gateway = perFile(() =>
  createGatewayProcess({ SEED_AGENTS: '0', RATE_LIMITS: 'false', DATABASE_URL: urlOf(database) }),
)

let runtime: Runtime
let feePayer: Pubkey
let inviteCode: string
beforeEach(async () => {
  // Another test checks the five registrations a day of one address.
  await sql.query('update sponsorships set client_network = id')
  runtime = await gateway.start()
  const health = await readJson<{ feePayer: { pubkey: string } }>(`${runtime.baseUrl}/health/detailed`)
  feePayer = pubkey(health.feePayer.pubkey)
  inviteCode = readFileSync(join(gateway.dataDir, 'invite-code'), 'utf8').trim()
})

const post = (path: string, body: object) => callJson<unknown>(`${runtime.baseUrl}${path}`, body)
const register = (wallet: Keypair) =>
  post('/sponsor/register', {
    instructions: json([sponsoredRegistration({ feePayer, wallet })]),
    signerPubkey: keyOf(wallet),
    inviteCode,
  })
const signedBody = (prepared: unknown, wallet: Keypair) => {
  const { id, serializedTx } = prepared as Prepared
  return { id, signedTx: signed({ serializedTx }, wallet), signerPubkey: keyOf(wallet), inviteCode }
}
const submit = (body: object) => post('/sponsor/register/submit', body)
/** From now on calls of this method get no response. */
const silence = (method: string) =>
  createLocalnetRpc(runtime.rpcUrl).call('localnet_fault', [
    { kind: 'http', methods: [method], delayMs: FAR },
  ])
const balance = () => new Connection(runtime.rpcUrl).getBalance(new PublicKey(feePayer), 'confirmed')
const rent = () => new Connection(runtime.rpcUrl).getMinimumBalanceForRentExemption(421)
async function sponsorship(
  wallet: Keypair,
): Promise<{ id: string; state: string; signed: boolean } | undefined> {
  const { rows } = await sql.query<{ id: string; state: string; signed: boolean }>(
    `select s.id, s.state, p.signed_tx is not null as signed from sponsorships as s
     left join prepared_transactions as p using (id) where s.wallet = $1 order by s.created_at desc limit 1`,
    [keyOf(wallet)],
  )
  return rows[0]
}
async function restart(): Promise<void> {
  await gateway.kill()
  runtime = await gateway.start()
}
async function paidOnce(wallet: Keypair, before: number): Promise<void> {
  await vi.waitFor(async () => expect((await sponsorship(wallet))?.state).toBe('confirmed'), {
    timeout: WAIT_MS,
    interval: 200,
  })
  const fee = before - (await balance()) - (await rent())
  expect(fee).toBeGreaterThanOrEqual(10_000)
  expect(fee).toBeLessThanOrEqual(16_000)
  expect((await register(wallet)).status).toBe(409)
  await gateway.stop()
}

test('after kill -9 during a preparation nothing is taken, and the wallet can register', async () => {
  const wallet = Keypair.generate()
  await silence('simulateTransaction')
  const dying = register(wallet).catch(() => undefined)
  await delay(200)
  await restart()
  await dying
  expect(await sponsorship(wallet)).toBeUndefined()
  const before = await balance()
  const { status, body } = await register(wallet)
  expect(status).toBe(200)
  expect((await submit(signedBody(body, wallet))).status).toBe(200)
  await paidOnce(wallet, before)
})

/** While `work` runs, submits wait for a lock after they took the quotas and before they sign. */
async function pausedBeforeSigning(work: () => Promise<void>): Promise<void> {
  await sql.query(`
    create function wait_for_test() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(${PAUSE_LOCK}); return null; end $$;
    create trigger wait_for_test after insert on sponsorships for each row execute function wait_for_test()`)
  await locked(PAUSE_LOCK, work)
  await sql.query('drop function wait_for_test cascade')
}

async function locked(lock: number, work: () => Promise<void>): Promise<void> {
  await sql.query('select pg_advisory_lock($1)', [lock])
  try {
    await work()
  } finally {
    await sql.query('select pg_advisory_unlock($1)', [lock])
  }
}

test.each([
  ['before the quotas are taken', (work: () => Promise<void>) => locked(SPONSORSHIP_LOCK, work)],
  ['after the quotas are taken and before signing', pausedBeforeSigning],
])('after kill -9 %s nothing is taken or sent, and the same submit succeeds later', async (_, paused) => {
  const wallet = Keypair.generate()
  const { body } = await register(wallet)
  const before = await balance()
  await paused(async () => {
    const dying = submit(signedBody(body, wallet)).catch(() => undefined)
    await vi.waitFor(async () => {
      const { rows } = await sql.query(`${ADVISORY_LOCKS} and not granted`)
      expect(rows).toHaveLength(1)
    }, WAIT_MS)
    await restart()
    await dying
  })
  await vi.waitFor(async () => {
    const { rows } = await sql.query(`${ADVISORY_LOCKS} and objid = $1`, [SPONSORSHIP_LOCK])
    expect(rows).toHaveLength(0)
  }, WAIT_MS)
  expect(await sponsorship(wallet)).toBeUndefined()
  expect(await balance()).toBe(before)
  expect((await submit(signedBody(body, wallet))).status).toBe(200)
  await paidOnce(wallet, before)
})

test.each([
  ['storing and sending', 'sendTransaction'],
  ['sending and storing what came of it', 'getSignatureStatuses'],
])('kill -9 between %s: the registration lands once and is paid once', async (_, silenced) => {
  const wallet = Keypair.generate()
  const { body } = await register(wallet)
  const before = await balance()
  await silence(silenced)
  const dying = submit(signedBody(body, wallet)).catch(() => undefined)
  await vi.waitFor(
    async () => expect(await sponsorship(wallet)).toMatchObject({ state: 'submitted', signed: true }),
    WAIT_MS,
  )
  await restart()
  await dying
  await vi.waitFor(async () => expect((await sponsorship(wallet))?.state).toBe('confirmed'), WAIT_MS)
  expect((await submit(signedBody(body, wallet))).body).toMatchObject({ status: 'confirmed', error: null })
  await paidOnce(wallet, before)
})
