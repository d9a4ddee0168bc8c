import { Keypair, PublicKey } from '@solana/web3.js'
import { sql } from 'kysely'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { createLocalSigner, type FeePayerSigner } from '../../../src/platform/keys.ts'
import { SPONSORSHIP_LOCK } from '../../../src/transactions/quota.ts'
import { addresses, keyOf } from '../../support/transactions/relay-world.ts'
import { registrationOf } from '../../support/transactions/parties.ts'
import { newClient, useSponsorWorld } from '../../support/transactions/sponsor-world.ts'
import { refused } from '../../support/refusal.ts'

const world = useSponsorWorld((feePayer) => withHook(createLocalSigner(feePayer)), { slotMs: 400 })
let many: string
let beforeSign: () => Promise<void> = async () => undefined
let signedMessage = (message: Uint8Array): Uint8Array => message
beforeAll(async () => {
  many = await world.code(1_000)
})
afterEach(() => {
  world.localnet.fault.clear()
  repairSigner()
})

function repairSigner(): void {
  beforeSign = async () => undefined
  signedMessage = (message) => message
}

/** The real signer with hooks that run before it: between the simulation and the send. */
const withHook = (signer: FeePayerSigner): FeePayerSigner => ({
  pubkey: signer.pubkey,
  sign: async (message) => {
    await beforeSign()
    return signer.sign(signedMessage(message))
  },
})
const stateOf = async (owner: Keypair) => (await world.sponsorships(owner)).map((each) => each.state).join()
const metric = async (line: RegExp) =>
  (await world.t.app.inject('/metrics')).body.split('\n').find((each) => line.test(each))

test('the cost of a sponsorship is read from the ledger when it is final', async () => {
  const owner = Keypair.generate()
  const before = await world.balance()
  const { body } = await world.register({ owner, inviteCode: many })
  await world.submitRegistration(body, owner, many)
  world.localnet.stepSlot(40)
  await expect
    .poll(async () => (await world.sponsorships(owner))[0]?.spent_lamports ?? null)
    .toBe(before - (await world.balance()))
  const row = await world.t.kysely
    .selectFrom('sponsorships')
    .selectAll()
    .where('id', '=', body.id)
    .executeTakeFirstOrThrow()
  const agent = new PublicKey(addresses.agent(keyOf(owner)))
  expect(row).toMatchObject({
    agent_pda: agent.toBase58(),
    rent_lamports: await world.connection.getBalance(agent),
    signature: (await world.status(body.id)).signature,
    reserved_lamports: row.spent_lamports,
  })
  expect(await metric(/^gateway_sponsorship_spent_lamports_total\{kind="registration"\}/)).toMatch(
    new RegExp(` ${row.spent_lamports}$`),
  )
  expect(
    await metric(/^gateway_sponsorship_requests_total\{operation="register",outcome="ok"\}/),
  ).toBeTruthy()
  expect(
    await metric(/^gateway_relay_transactions_total\{status="confirmed",error="none",sponsored="true"\}/),
  ).toBeTruthy()
  expect(await metric(/^gateway_sponsorship_fee_payer_lamports \d+$/)).toBeTruthy()
})

test('a registration that fails on the ledger spends its counted fee, and frees code and wallet', async () => {
  const owner = await world.funded()
  const inviteCode = await world.code()
  const client = newClient()
  const { body } = await world.register({ owner, inviteCode, client })
  const before = await world.balance()
  // This node runs no preflight, like a node that lags. A preflight would refuse it.
  await world.t.kysely
    .updateTable('prepared_transactions')
    .set({ accepted: true })
    .where('id', '=', body.id)
    .execute()
  beforeSign = () => world.transact([registrationOf(keyOf(owner), keyOf(owner), { name: 'First' })], [owner])
  const { body: record } = await world.submitRegistration(body, owner, inviteCode, client)
  beforeSign = async () => undefined
  expect(record).toMatchObject({ status: 'failed', error: { code: 'execution_failed' } })
  expect(await stateOf(owner)).toBe('submitted')
  world.localnet.stepSlot(40)
  await expect.poll(() => stateOf(owner)).toBe('failed')
  const cost = before - (await world.balance())
  expect(cost).toBeLessThan(12_000)
  await expect.poll(async () => (await world.sponsorships(owner))[0]?.spent_lamports ?? null).toBe(cost)
  // The code can be used again. One of the client's five registrations is used.
  const more = [await world.registerAndSubmit(inviteCode, client)]
  for (let i = 0; i < 4; i++) more.push(await world.registerAndSubmit(many, client))
  expect(more).toEqual([200, 200, 200, 200, 429])
})

test('a registration that a fork removes and that lands again is one registration, paid once', async () => {
  const owner = Keypair.generate()
  const { body } = await world.register({ owner, inviteCode: many })
  world.localnet.stepSlot(33)
  await world.submitRegistration(body, owner, many)
  expect(await stateOf(owner)).toBe('confirmed')
  const { slot } = await world.status(body.id)
  world.localnet.fault.fork()
  await expect.poll(async () => (await world.status(body.id)).slot ?? 0).toBeGreaterThan(slot ?? Infinity)
  await expect.poll(() => stateOf(owner)).toBe('confirmed')
  expect((await world.register({ owner, inviteCode: many })).status).toBe(409)
})

test('a registration that a fork removes and that expires is released, and the wallet can try again', async () => {
  world.localnet.stepSlot(40)
  let owner = Keypair.generate()
  let body = (await world.register({ owner, inviteCode: many })).body
  const registersOnFork = async () => {
    owner = Keypair.generate()
    body = (await world.register({ owner, inviteCode: many })).body
    const { value } = await world.connection.isBlockhashValid(body.blockhash, { commitment: 'finalized' })
    return !value
  }
  await expect.poll(registersOnFork).toBe(true)
  await world.submitRegistration(body, owner, many)
  world.localnet.fault.fork()
  await expect.poll(() => stateOf(owner)).toBe('submitted')
  world.localnet.stepSlot(250)
  await expect.poll(() => stateOf(owner)).toBe('released')
  expect((await world.status(body.id)).error?.code).toBe('dropped')
  const again = await world.register({ owner, inviteCode: many })
  expect(again.status).toBe(200)
  expect((await world.submitRegistration(again.body, owner, many)).body.status).toBe('confirmed')
})

test('a registration that expires during its submit is not signed, and takes nothing', async () => {
  const owner = Keypair.generate()
  const { body } = await world.register({ owner, inviteCode: many })
  const submitted = await world.t.kysely.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(SPONSORSHIP_LOCK)})`.execute(trx)
    const submitting = world.submitRegistration(body, owner, many)
    await expect.poll(waitingForLock).toBe(1)
    world.localnet.stepSlot(200)
    await expect.poll(async () => (await world.status(body.id)).status).toBe('failed')
    return { submitting }
  })
  expect(await submitted.submitting).toEqual(refused(410, 'TRANSACTION_EXPIRED', 'Transaction expired'))
  expect((await world.status(body.id)).signature).toBeNull()
  expect(await stateOf(owner)).toBe('')
})

test.each([
  ['fails', () => (beforeSign = () => Promise.reject(new Error('the key is not available')))],
  ['returns a wrong signature', () => (signedMessage = (message) => message.subarray(1))],
])(
  'a registration takes nothing if the signer %s, and the same submit succeeds later',
  async (_, breakSigner) => {
    const owner = Keypair.generate()
    const inviteCode = await world.code()
    const { body } = await world.register({ owner, inviteCode })
    breakSigner()
    expect(await world.submitRegistration(body, owner, inviteCode)).toEqual(
      refused(500, 'INTERNAL_SERVER_ERROR', 'Internal server error'),
    )
    expect(await stateOf(owner)).toBe('')
    repairSigner()
    expect((await world.submitRegistration(body, owner, inviteCode)).body.status).toBe('confirmed')
  },
)

async function waitingForLock(): Promise<number> {
  const { rows } = await sql`
    select from pg_locks where locktype = 'advisory' and objid = ${sql.lit(SPONSORSHIP_LOCK)}
      and database = (select oid from pg_database where datname = current_database()) and not granted
  `.execute(world.t.kysely)
  return rows.length
}

test('nothing is sponsored while the ledger does not respond', async () => {
  const owner = Keypair.generate()
  const { body } = await world.register({ owner, inviteCode: many })
  const other = Keypair.generate()
  world.localnet.fault.http({ status: 503 })
  expect((await world.submitRegistration(body, owner, many)).status).toBe(503)
  expect([500, 503]).toContain((await world.register({ owner: other, inviteCode: many })).status)
  expect(await stateOf(other)).toBe('')
  world.localnet.fault.clear()
  expect((await world.submitRegistration(body, owner, many)).body.status).toBe('confirmed')
})

test('eligibility equals the result of a registration', async () => {
  const ask = async (wallet: string, code: string, client = newClient()) => {
    const url = `/sponsor/eligibility?wallet=${wallet}&code=${encodeURIComponent(code)}`
    return (await world.t.app.inject({ url, remoteAddress: client })).json<object>()
  }
  const owner = Keypair.generate()
  const code = await world.code()
  const balance = await world.balance()
  await expect.poll(() => ask(keyOf(owner), code)).toEqual({ eligible: true, feePayerBalance: balance })
  expect(await ask(keyOf(owner), 'x')).toEqual({
    eligible: false,
    reason: 'The invite code is unknown, expired, revoked or used up',
  })
  const { body } = await world.register({ owner, inviteCode: code })
  await world.submitRegistration(body, owner, code)
  expect(await ask(keyOf(owner), many)).toEqual({
    eligible: false,
    reason: `Wallet ${keyOf(owner)} has already received a sponsored registration`,
  })
  expect(await ask('x', many)).toMatchObject({ error: expect.stringMatching(/^wallet must be/) as string })
  expect(await ask(keyOf(owner), '')).toMatchObject({
    error: 'code is required',
    details: { code: 'FIELD_REQUIRED' },
  })
  const { data } = await world.graphql(
    'query ($wallet: Pubkey!, $code: String!) { eligibility(wallet: $wallet, code: $code) { eligible feePayerBalance reason } }',
    { wallet: keyOf(Keypair.generate()), code: many },
  )
  expect(data).toEqual({
    eligibility: { eligible: true, feePayerBalance: expect.stringMatching(/^\d+$/) as string, reason: null },
  })
})
