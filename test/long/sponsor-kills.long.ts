import { setTimeout as delay } from 'node:timers/promises'
import { Connection, Keypair, PublicKey } from '@solana/web3.js'
import { beforeAll, expect, test } from 'vitest'
import { pubkey, type Pubkey } from '@agent-registry/solana'
import type { Runtime } from '../../src/compose/runtime-file.ts'
import { createTestDatabase, urlOf } from '../support/database.ts'
import { createGatewayProcess } from '../support/gateway-process.ts'
import { keyOf } from '../support/transactions/hostile-world.ts'
import { sponsoredRegistration } from '../support/transactions/parties.ts'
import { json, type Prepared, type SubmittedTransaction } from '../support/transactions/sponsor-clients.ts'
import { signed } from '../support/transactions/relay-world.ts'
import { perFile } from '../support/lifetime.ts'
import { callJson } from '../support/http.ts'
import { openSession } from '../../src/db/session.ts'

/** KILLS=200 npm run test:long -- test/long/sponsor-kills.long.ts */
const KILLS = Number(process.env.KILLS ?? 5)
const CLIENTS = 4

const database = perFile(() => createTestDatabase())
const sql = perFile(() => openSession(database.orm))
const gateway = perFile(() =>
  createGatewayProcess({
    SEED_AGENTS: '0',
    RATE_LIMITS: 'false',
    TRUST_PROXY: '127.0.0.1',
    SPONSOR_DAILY_BUDGET_LAMPORTS: '1000000000000',
    DATABASE_URL: urlOf(database),
  }),
)
let runtime: Runtime
beforeAll(async () => {
  runtime = await gateway.start()
})

let address = 0
const newAddress = (): string => `10.0.${((address += 1) >> 8) & 255}.${address & 255}`

/** Null if the gateway was killed. */
async function post<Body>(path: string, body: object, from: string): Promise<[number, Body] | null> {
  try {
    const answer = await callJson<Body>(`${runtime.baseUrl}${path}`, body, { 'x-forwarded-for': from })
    return [answer.status, answer.body]
  } catch {
    await delay(100)
    return null
  }
}

/** Repeats the same requests until the registration of a new wallet is confirmed. */
async function registerWallet(feePayer: Pubkey, inviteCode: string): Promise<Keypair> {
  const wallet = Keypair.generate()
  const from = newAddress()
  const signer = { signerPubkey: keyOf(wallet), inviteCode }
  const instructions = json([sponsoredRegistration({ feePayer, wallet })])
  let prepared: Prepared | undefined
  for (;;) {
    if (prepared === undefined) {
      const answer = await post<Prepared>('/sponsor/register', { instructions, ...signer }, from)
      if (answer?.[0] === 200) prepared = answer[1]
      else if (answer?.[0] === 409) await delay(200)
      continue
    }
    const body = { id: prepared.id, signedTx: signed(prepared, wallet), ...signer }
    const answer = await post<SubmittedTransaction>('/sponsor/register/submit', body, from)
    if (answer?.[0] === 410 || answer?.[0] === 404) prepared = undefined
    if (answer?.[0] === 200 && answer[1].status === 'confirmed') return wallet
    if (answer?.[0] === 200 && answer[1].status === 'failed') throw new Error(JSON.stringify(answer[1]))
  }
}

const count = async (query: string): Promise<number> =>
  Number((await sql.query<{ count: string }>(query)).rows[0]?.count)

test(`after ${KILLS} times kill -9 no use of a code is lost or taken twice, and every wallet is paid once`, async () => {
  const health = await fetch(`${runtime.baseUrl}/health/detailed`)
  const feePayer = pubkey(((await health.json()) as { feePayer: { pubkey: string } }).feePayer.pubkey)
  const created = await gateway.cli('--json', 'invite', 'create', '--uses', '100000')
  const { code } = JSON.parse(created.stdout) as { code: string }
  const balance = () => new Connection(runtime.rpcUrl).getBalance(new PublicKey(feePayer), 'confirmed')
  const before = await balance()

  const stopping = new AbortController()
  const wallets: Keypair[] = []
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!stopping.signal.aborted) wallets.push(await registerWallet(feePayer, code))
  })
  for (let i = 0; i < KILLS; i += 1) {
    await delay(Math.random() * 800)
    await gateway.kill()
    runtime = await gateway.start()
  }
  // A slow machine registers nobody between two kills.
  await expect.poll(() => wallets.length).toBeGreaterThan(KILLS)
  stopping.abort()
  await Promise.all(clients)

  const { rows } = await sql.query<{ wallet: string; count: string }>(
    "select wallet, count(*) from sponsorships where state in ('submitted', 'confirmed') group by wallet",
  )
  expect(new Map(rows.map((row) => [row.wallet, Number(row.count)]))).toEqual(
    new Map(wallets.map((wallet) => [keyOf(wallet) as string, 1])),
  )
  expect(await count("select count(*) from sponsorships where state = 'failed'")).toBe(0)
  // What is signed is on record, and what is on record is signed.
  expect(
    await count(`select count(*) from sponsorships full join prepared_transactions as p using (id)
      where p.sponsored and (p.signed_tx is null) <> (sponsorships.state is null)`),
  ).toBe(0)
  const rent = await new Connection(runtime.rpcUrl).getMinimumBalanceForRentExemption(421)
  const fees = before - (await balance()) - wallets.length * rent
  expect(fees).toBeGreaterThanOrEqual(wallets.length * 10_000)
  expect(fees).toBeLessThanOrEqual(wallets.length * 16_000)
  process.stdout.write(`${wallets.length} wallets were registered\n`)
}, 3_600_000)
