import { Keypair } from '@solana/web3.js'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  graphqlClient,
  json,
  restClient,
  type SponsorClient,
} from '../../support/sponsorship/sponsor-clients.ts'
import { update } from '../../support/sponsorship/parties.ts'
import {
  createHostileWorld,
  keyOf,
  registerBy,
  signedBy,
  type HostileWorld,
} from '../../support/sponsorship/hostile-world.ts'

const AT_ONCE = 50

let world: HostileWorld
beforeAll(async () => {
  world = await createHostileWorld({ slotMs: 200, limits: { dailyBudget: 10n ** 12n } })
})
afterAll(() => world.close())

let clients = 0
const newAddress = (): string => `203.0.${((clients += 1) >> 8) & 255}.${clients & 255}`
/** REST and GraphQL in turns. Default: each call has its own client address. */
const clientFor = (i: number, client = { address: newAddress() }): SponsorClient =>
  (i % 2 === 0 ? restClient : graphqlClient)(world.t, client)

/** Makes concurrent calls and counts their statuses. */
async function tally(
  call: (i: number) => Promise<{ status: number }>,
  atOnce = AT_ONCE,
): Promise<Record<number, number>> {
  const answers = await Promise.all(Array.from({ length: atOnce }, (_, i) => call(i)))
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
const register = (api: SponsorClient, code: string, wallet = Keypair.generate()) =>
  registerBy(api, wallet, keyOf(world.feePayer), code)

test('a code with three uses allows three of 50 concurrent registrations', async () => {
  const code = await world.code(3)
  expect(await tally((i) => register(clientFor(i), code))).toEqual({ 200: 3, 403: AT_ONCE - 3 })
})

test('one of 50 concurrent registrations of a wallet from one address succeeds', async () => {
  const code = await world.code(AT_ONCE)
  const wallet = Keypair.generate()
  const client = { address: newAddress() }
  expect(await tally((i) => register(clientFor(i, client), code, wallet))).toEqual({
    200: 1,
    409: AT_ONCE - 1,
  })
})

test('one of ten registrations of a wallet from ten addresses is signed and paid', async () => {
  const wallet = Keypair.generate()
  const code = await world.code(10)
  const clients = Array.from({ length: 10 }, (_, i) => clientFor(i))
  const prepared = await Promise.all(clients.map((api) => register(api, code, wallet)))
  expect(prepared.map((each) => each.status)).toEqual(Array(10).fill(200))
  const before = await world.balance()
  const answers = await Promise.all(
    prepared.map(({ body }, i) =>
      clients[i]!.submitRegistration({
        id: body.id,
        signedTx: signedBy(body.serializedTx, wallet),
        signerPubkey: keyOf(wallet),
        inviteCode: code,
      }),
    ),
  )
  const landed = answers.filter((each) => each.body?.status === 'confirmed')
  expect(landed).toHaveLength(1)
  const rent = await world.connection.getMinimumBalanceForRentExemption(421)
  expect(before - (await world.balance())).toBeLessThanOrEqual(rent + 16_000)
  // The others were refused before the signature, or their simulation found the agent. Afterwards
  // the code has nine uses left.
  const signatures = await world.t.kysely
    .selectFrom('sponsorships')
    .select('signature')
    .where('wallet', '=', keyOf(wallet))
    .where('signature', 'is not', null)
    .execute()
  expect(signatures).toHaveLength(1)
})

test('another client with a code cannot prevent the registration of a wallet', async () => {
  const wallet = Keypair.generate()
  const squatted = await register(clientFor(0, { address: newAddress() }), await world.code(), wallet)
  expect(squatted.status).toBe(200)
  const code = await world.code()
  const owner = clientFor(1, { address: newAddress() })
  const { status, body } = await register(owner, code, wallet)
  expect(status).toBe(200)
  const signedTx = signedBy(body.serializedTx, wallet)
  const signed = { id: body.id, signedTx, signerPubkey: keyOf(wallet), inviteCode: code }
  expect(await owner.submitRegistration(signed)).toMatchObject({ status: 200, body: { status: 'confirmed' } })
})

test.each([
  ['an address', AT_ONCE, () => ({ address: '192.0.2.77' })],
  [
    'an address that says it is others in X-Forwarded-For',
    15,
    (i: number) => ({
      address: '192.0.2.78',
      headers: {
        'x-forwarded-for': `203.0.113.${i}`,
        forwarded: `for=203.0.113.${i}`,
        'x-real-ip': `203.0.113.${i}`,
      },
    }),
  ],
  [
    'one /64 of IPv6, each from another address of it',
    15,
    (i: number) => ({ address: `2001:db8:7:7:${((i * 7919) % 65_536).toString(16)}::${i.toString(16)}` }),
  ],
  [
    'an IPv4 address, plain and mapped',
    15,
    (i: number) => ({ address: `${i % 4 < 2 ? '' : '::ffff:'}192.0.2.79` }),
  ],
])('concurrent registrations from %s are limited to five', async (_, atOnce, client) => {
  const code = await world.code(AT_ONCE)
  expect(await tally((i) => register(clientFor(i, client(i)), code), atOnce)).toEqual({
    200: 5,
    429: atOnce - 5,
  })
})

test('20 of 50 concurrent transactions of a wallet are prepared', async () => {
  const wallet = await world.sponsoredWallet(clientFor(0))
  const client = { address: newAddress() }
  const prepare = (i: number) => {
    const instructions = json([update(wallet, { version: `1.${i}` })])
    const body = { instructions, signerPubkeys: [keyOf(wallet)] }
    const api = clientFor(i, client)
    return i % 3 === 0 ? api.prepareFlagged(body) : api.prepareSponsored(body)
  }
  expect(await tally(prepare)).toEqual({ 200: 20, 429: AT_ONCE - 20 })
})

test('20 transactions of a wallet that 50 addresses prepared are signed, in any order', async () => {
  const wallet = await world.sponsoredWallet(clientFor(0))
  const prepared = await Promise.all(
    Array.from({ length: 25 }, (_, i) =>
      clientFor(i).prepareSponsored({
        instructions: json([update(wallet, { version: `2.${i}` })]),
        signerPubkeys: [keyOf(wallet)],
      }),
    ),
  )
  expect(new Set(prepared.map((each) => each.status))).toEqual(new Set([200]))
  const before = await world.balance()
  const answers = await Promise.all(
    prepared.map(({ body }, i) =>
      clientFor(i).submit({ id: body.id, signedTx: signedBy(body.serializedTx, wallet) }),
    ),
  )
  const statuses = answers.map((each) => each.status)
  expect([
    statuses.filter((each) => each === 200).length,
    statuses.filter((each) => each === 429).length,
  ]).toEqual([20, 5])
  expect(before - (await world.balance())).toBeLessThanOrEqual(20 * 25_000)
})

test('50 concurrent submits of one sponsored transaction give one record, one send and one payment', async () => {
  const code = await world.code()
  const wallet = Keypair.generate()
  const { body } = await register(clientFor(0), code, wallet)
  const before = await world.balance()
  const sends = () => world.calls.filter((each) => each === 'sendTransaction').length
  const sentBefore = sends()
  const signed = {
    id: body.id,
    signedTx: signedBy(body.serializedTx, wallet),
    signerPubkey: keyOf(wallet),
    inviteCode: code,
  }
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, i) => clientFor(i).submitRegistration(signed)),
  )
  expect(
    new Set(answers.map((each) => `${each.status} ${each.body.status} ${each.body.signature}`)).size,
  ).toBe(1)
  expect(answers[0]).toMatchObject({ status: 200, body: { status: 'confirmed' } })
  expect(sends() - sentBefore).toBe(1)
  const rent = await world.connection.getMinimumBalanceForRentExemption(421)
  const fee = before - (await world.balance()) - rent
  expect(fee).toBeGreaterThanOrEqual(10_000)
  expect(fee).toBeLessThanOrEqual(16_000)
})

/** Lamports that were spent or reserved so far. */
async function counted(kind: 'registration' | 'transaction'): Promise<bigint> {
  const { rows } = await sql<{ spent: string }>`
    select coalesce(sum(coalesce(spent_lamports, reserved_lamports)), 0)::text as spent from sponsorships
    where state <> 'released' and kind = ${kind}`.execute(world.t.kysely)
  return BigInt(rows[0]?.spent ?? 0)
}

test('transactions without a code leave half of the budget to registrations', async () => {
  const wallet = await world.sponsoredWallet(clientFor(0))
  // As if transactions of other wallets had cost more than all registrations: the budget of
  // transactions ends first.
  await sql`
    insert into sponsorships (id, kind, wallet, state, reserved_lamports, spent_lamports)
    values ('others', 'transaction', 'others', 'confirmed', 0, ${String((await counted('registration')) + 10_000_000n)})`.execute(
    world.t.kysely,
  )
  const { dailyBudget } = world.limits
  world.limits.dailyBudget = 2n * (await counted('transaction')) + 9n * 25_000n
  const body = { instructions: json([update(wallet)]), signerPubkeys: [keyOf(wallet)] }
  const answers = await tally((i) => clientFor(i).prepareSponsored(body), 8)
  const registered = await register(clientFor(0), await world.code())
  await world.t.kysely.deleteFrom('sponsorships').where('id', '=', 'others').execute()
  world.limits.dailyBudget = dailyBudget
  expect(answers).toEqual({ 200: 4, 503: 4 })
  expect(registered.status).toBe(200)
})

test('a budget for two allows two of 50 concurrent registrations', async () => {
  const rent = BigInt(await world.connection.getMinimumBalanceForRentExemption(421))
  const most = rent + 16_000n
  const spent = (await counted('registration')) + (await counted('transaction'))
  world.limits.dailyBudget = spent + 2n * most + most / 2n
  const code = await world.code(AT_ONCE)
  expect(await tally((i) => register(clientFor(i), code))).toEqual({ 200: 2, 503: AT_ONCE - 2 })
})
