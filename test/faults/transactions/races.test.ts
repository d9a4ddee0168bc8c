import { Keypair } from '@solana/web3.js'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import {
  graphqlClient,
  json,
  type Prepared,
  restClient,
  type SponsorClient,
} from '../../support/transactions/sponsor-clients.ts'
import { update } from '../../support/transactions/parties.ts'
import {
  createHostileWorld,
  keyOf,
  registerBy,
  submitRegistrationBy,
} from '../../support/transactions/hostile-world.ts'
import { signed } from '../../support/transactions/relay-world.ts'
import { perFile } from '../../support/lifetime.ts'
import { newClient } from '../../support/transactions/sponsor-world.ts'

const AT_ONCE = 50

const world = perFile(() => createHostileWorld({ slotMs: 200, limits: { dailyBudget: 10n ** 12n } }))

/** REST and GraphQL in turns. Default: each call has its own client address. */
const clientFor = (i: number, client = { address: newClient() }): SponsorClient =>
  (i % 2 === 0 ? restClient : graphqlClient)(world.t, client)

async function tally(
  call: (i: number) => Promise<{ status: number }>,
  atOnce = AT_ONCE,
): Promise<Record<number, number>> {
  const answers = await Promise.all(Array.from({ length: atOnce }, (_, i) => call(i)))
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
/** All have this status and text. */
function expectRefusals(answers: { status: number; error: string }[], expected: string): void {
  expect(new Set(answers.map(({ status, error }) => `${status} ${error}`))).toEqual(new Set([expected]))
}
const register = (api: SponsorClient, code: string, wallet = Keypair.generate()) =>
  registerBy(api, wallet, keyOf(world.feePayer), code)

interface Registration {
  wallet: Keypair
  code: string
  body: Prepared
}

/** Registrations of new wallets, prepared by clients with an address each. */
function prepareMany(count: number, code: string, wallet?: Keypair): Promise<Registration[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const owner = wallet ?? Keypair.generate()
      const { status, body } = await register(clientFor(i), code, owner)
      expect(status).toBe(200)
      return { wallet: owner, code, body }
    }),
  )
}
const submit = (api: SponsorClient, { body, wallet, code }: Registration) =>
  submitRegistrationBy(api, body, wallet, code)
const signedCount = async (registrations: Registration[]): Promise<number> => {
  const ids = registrations.map(({ body }) => body.id)
  const rows = await world.t.kysely
    .selectFrom('prepared_transactions')
    .select('signature')
    .where('id', 'in', ids)
    .execute()
  return rows.filter(({ signature }) => signature !== null).length
}

test('two clients that prepare 500 registrations with a code of ten uses keep nobody from registering', async () => {
  world.limits.dailyRegistrationsPerClient = 500
  const code = await world.code(10)
  const holders = [clientFor(0), clientFor(1)]
  const held: Awaited<ReturnType<typeof register>>[] = []
  const hold = (_: unknown, i: number) => register(holders[i % 2]!, code, Keypair.generate())
  // 500 simulations at once take longer than the service waits for a node.
  for (let batch = 0; batch < 5; batch += 1)
    held.push(...(await Promise.all(Array.from({ length: 100 }, hold))))
  expect(new Set(held.map(({ status }) => status))).toEqual(new Set([200]))
  world.limits.dailyRegistrationsPerClient = 5
  const before = await counted('registration')
  for (let i = 0; i < 10; i += 1) {
    const api = clientFor(i)
    const wallet = Keypair.generate()
    const { body } = await register(api, code, wallet)
    expect(await submit(api, { wallet, code, body })).toMatchObject({
      status: 200,
      body: { status: 'confirmed' },
    })
  }
  const rent = await world.connection.getMinimumBalanceForRentExemption(421)
  expect((await counted('registration')) - before).toBeLessThanOrEqual(10n * BigInt(rent + 16_000))
  const late = await register(clientFor(0), code)
  expect([late.status, late.error]).toEqual([403, 'The invite code is unknown, expired, revoked or used up'])
})

test('preparations that nobody signs hold no budget', async () => {
  const rent = BigInt(await world.connection.getMinimumBalanceForRentExemption(421))
  await withBudget(rent + 16_000n, async () => {
    await prepareMany(20, await world.code(20))
    const [legitimate] = await prepareMany(1, await world.code())
    expect(await submit(clientFor(0), legitimate!)).toMatchObject({ body: { status: 'confirmed' } })
  })
})

test('of 50 concurrent submits for the last use of a code one is signed', async () => {
  const registrations = await prepareMany(AT_ONCE, await world.code(1))
  const before = await world.balance()
  const answers = await Promise.all(registrations.map((each, i) => submit(clientFor(i), each)))
  const lost = answers.filter(({ status }) => status !== 200)
  expect(lost).toHaveLength(AT_ONCE - 1)
  expectRefusals(
    lost,
    '403 The invite code was used up before this registration was signed. Nothing was sent.',
  )
  expect(await signedCount(registrations)).toBe(1)
  const rent = await world.connection.getMinimumBalanceForRentExemption(421)
  expect(before - (await world.balance())).toBeLessThanOrEqual(rent + 16_000)
})

test('of 20 concurrent submits to two processes for the last three uses of a code three are signed', async () => {
  const registrations = await prepareMany(20, await world.code(3))
  const services = [world.t.services.transactions, world.sponsorReplica(world.rpc)]
  const answers = await Promise.allSettled(
    registrations.map(({ wallet, code, body }, i) => {
      const signedTx = signed(body, wallet)
      const input = { id: body.id, signedTx, signerPubkey: keyOf(wallet), inviteCode: code }
      return services[i % 2]!.submitRegistration(input, newClient())
    }),
  )
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  expect(await signedCount(registrations)).toBe(3)
})

test('one of ten registrations of a wallet from ten addresses is signed and paid', async () => {
  const wallet = Keypair.generate()
  const registrations = await prepareMany(10, await world.code(10), wallet)
  const before = await world.balance()
  const answers = await Promise.all(registrations.map((each, i) => submit(clientFor(i), each)))
  expect(answers.filter((each) => each.body?.status === 'confirmed')).toHaveLength(1)
  const rent = await world.connection.getMinimumBalanceForRentExemption(421)
  expect(before - (await world.balance())).toBeLessThanOrEqual(rent + 16_000)
  // The others were refused before the signature, or their simulation found the agent.
  expect(await signedCount(registrations)).toBe(1)
})

test('another client with a code cannot prevent the registration of a wallet', async () => {
  const wallet = Keypair.generate()
  await prepareMany(1, await world.code(), wallet)
  const [own] = await prepareMany(1, await world.code(), wallet)
  expect(await submit(clientFor(1), own!)).toMatchObject({ status: 200, body: { status: 'confirmed' } })
})

test.each([
  ['an address', 30, () => ({ address: '192.0.2.77' })],
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
  const registrations = await prepareMany(atOnce, await world.code(AT_ONCE))
  const counts = await tally((i) => submit(clientFor(i, client(i)), registrations[i]!), atOnce)
  expect(counts).toEqual({ 200: 5, 429: atOnce - 5 })
})

/** Sponsored transactions of the wallet, prepared by clients with an address each. */
function prepareUpdates(count: number, wallet: Keypair): Promise<Registration['body'][]> {
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const instructions = json([update(wallet, { version: `${count}.${i}` })])
      const body = { instructions, signerPubkeys: [keyOf(wallet)] }
      const api = clientFor(i)
      const answer = await (i % 3 === 0 ? api.prepareFlagged(body) : api.prepareSponsored(body))
      expect(answer.status).toBe(200)
      return answer.body
    }),
  )
}

test('20 of 25 concurrent transactions of a wallet from 25 addresses are signed', async () => {
  const wallet = await world.sponsoredWallet(clientFor(0))
  const prepared = await prepareUpdates(25, wallet)
  const before = await world.balance()
  const counts = await tally((i) => {
    const { id, serializedTx } = prepared[i]!
    return clientFor(i).submit({ id, signedTx: signed({ serializedTx }, wallet) })
  }, 25)
  expect(counts).toEqual({ 200: 20, 429: 5 })
  expect(before - (await world.balance())).toBeLessThanOrEqual(20 * 25_000)
})

test('concurrent transactions of many wallets from one address stay below the limit of the address', async () => {
  world.limits.dailyTransactionsPerClient = 6
  const wallets = await Promise.all([0, 1, 2, 3].map((i) => world.sponsoredWallet(clientFor(i))))
  const prepared = await Promise.all(wallets.map((each) => prepareUpdates(4, each)))
  const address = newClient()
  const counts = await tally((i) => {
    const { id, serializedTx } = prepared[i % 4]![Math.floor(i / 4)]!
    return clientFor(i, { address }).submit({ id, signedTx: signed({ serializedTx }, wallets[i % 4]!) })
  }, 16)
  world.limits.dailyTransactionsPerClient = 100
  expect(counts).toEqual({ 200: 6, 429: 10 })
})

test('50 concurrent submits of one sponsored transaction give one record, one send and one payment', async () => {
  const code = await world.code()
  const wallet = Keypair.generate()
  const { body } = await register(clientFor(0), code, wallet)
  const before = await world.balance()
  const sends = () => world.calls.filter((each) => each === 'sendTransaction').length
  const sentBefore = sends()
  const request = {
    id: body.id,
    signedTx: signed(body, wallet),
    signerPubkey: keyOf(wallet),
    inviteCode: code,
  }
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, i) => clientFor(i).submitRegistration(request)),
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

/** Lamports that were spent so far, or may be. */
async function counted(kind: 'registration' | 'transaction'): Promise<bigint> {
  const { rows } = await sql<{ spent: string }>`
    select coalesce(sum(coalesce(spent_lamports, reserved_lamports)), 0)::text as spent from sponsorships
    where state <> 'released' and kind = ${kind}`.execute(world.t.kysely)
  return BigInt(rows[0]?.spent ?? 0)
}

/** Runs `work` while the budget has this many lamports left. */
async function withBudget(left: bigint, work: () => Promise<void>): Promise<void> {
  const { dailyBudget } = world.limits
  world.limits.dailyBudget = (await counted('registration')) + (await counted('transaction')) + left
  await work().finally(() => {
    world.limits.dailyBudget = dailyBudget
  })
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
  const prepared = await prepareUpdates(8, wallet)
  const [registration] = await prepareMany(1, await world.code())
  const { dailyBudget } = world.limits
  // For four transactions: two signatures, 5,000 lamports each, and a small priority fee.
  world.limits.dailyBudget = 2n * (await counted('transaction')) + 9n * 10_100n
  const answers = await Promise.all(
    prepared.map(({ id, serializedTx }, i) =>
      clientFor(i).submit({ id, signedTx: signed({ serializedTx }, wallet) }),
    ),
  )
  const landed = await submit(clientFor(0), registration!)
  await world.t.kysely.deleteFrom('sponsorships').where('id', '=', 'others').execute()
  world.limits.dailyBudget = dailyBudget
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(4)
  const refused = answers.filter(({ status }) => status !== 200)
  expectRefusals(
    refused,
    '503 The daily budget was used up before this transaction was signed. Nothing was sent. Prepare it again later.',
  )
  expect(landed).toMatchObject({ status: 200, body: { status: 'confirmed' } })
})

test('a budget for two pays two of 20 concurrent registrations', async () => {
  const rent = BigInt(await world.connection.getMinimumBalanceForRentExemption(421))
  const registrations = await prepareMany(20, await world.code(20))
  await withBudget(2n * (rent + 16_000n), async () => {
    expect(await tally((i) => submit(clientFor(i), registrations[i]!), 20)).toEqual({ 200: 2, 503: 18 })
  })
  expect(await signedCount(registrations)).toBe(2)
})

test('a balance for two pays two of 20 concurrent registrations, and stays above its minimum', async () => {
  const rent = BigInt(await world.connection.getMinimumBalanceForRentExemption(421))
  const registrations = await prepareMany(20, await world.code(20))
  // What landed in the last hour counts until its cost is recorded, so record it.
  await sql`update sponsorships set spent_lamports = reserved_lamports`.execute(world.t.kysely)
  const { minBalance } = world.limits
  world.limits.minBalance = BigInt(await world.balance()) - 2n * (rent + 16_000n)
  const answers = await Promise.all(registrations.map((each, i) => submit(clientFor(i), each)))
  expect(BigInt(await world.balance())).toBeGreaterThanOrEqual(world.limits.minBalance)
  world.limits.minBalance = minBalance
  expect(await signedCount(registrations)).toBe(2)
  const refused = answers.filter(({ status }) => status !== 200)
  expectRefusals(
    refused,
    '503 The balance of the fee payer became too low before this transaction was signed. Nothing was sent. Prepare it again later.',
  )
})
