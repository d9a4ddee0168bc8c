import { Keypair, PublicKey } from '@solana/web3.js'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { decodeAccount } from '@agent-registry/program'
import { SPONSOR_POLICY } from '../../../src/transactions/sponsor-policy.ts'
import { addresses, keyOf, toJson, signed } from '../../support/transactions/relay-world.ts'
import { createAppOfTest, SPONSOR_LIMITS } from '../../support/app.ts'
import { registrationOf } from '../../support/transactions/parties.ts'
import { newClient, type SponsorWorld, useSponsorWorld } from '../../support/transactions/sponsor-world.ts'
import { refused, responseOf } from '../../support/refusal.ts'

const world = useSponsorWorld()
afterEach(() => {
  Object.assign(world.limits, SPONSOR_LIMITS)
})

test('a wallet without lamports gets an agent; the fee payer pays rent and fee, and gets the rent back on close', async () => {
  const owner = Keypair.generate()
  const inviteCode = await world.code()
  const before = await world.balance()
  const { status, body } = await world.register({ owner, inviteCode })
  expect([status, body.sponsored, body.feePayer]).toEqual([200, true, keyOf(world.feePayer)])
  expect(Buffer.from(body.serializedTx, 'base64').subarray(0, 129)).toEqual(
    Buffer.concat([Buffer.from([2]), Buffer.alloc(128)]),
  )
  const submitted = await world.submitRegistration(body, owner, inviteCode)
  expect(submitted).toEqual({
    status: 200,
    body: {
      id: body.id,
      status: 'confirmed',
      signature: expect.any(String) as string,
      error: null,
      slot: expect.any(Number) as number,
      sponsored: true,
    },
  })
  const account = await world.connection.getAccountInfo(new PublicKey(addresses.agent(keyOf(owner))))
  expect(decodeAccount(account!.data)).toMatchObject({
    name: 'Agent',
    data: { owner: keyOf(owner), rentPayer: keyOf(world.feePayer) },
  })
  const fee = before - (await world.balance()) - account!.lamports
  expect(fee).toBeGreaterThanOrEqual(10_000)
  expect(fee).toBeLessThan(12_000)
  expect(await world.connection.getBalance(owner.publicKey)).toBe(0)
  expect(await world.sponsorships(owner)).toMatchObject([{ state: 'confirmed', id: body.id }])
  // A second submit returns the same record.
  expect(await world.submitRegistration(body, owner, inviteCode)).toEqual(submitted)
  expect(await world.status(body.id)).toEqual(submitted.body)
})

test('registers an agent in GraphQL', async () => {
  const owner = Keypair.generate()
  const inviteCode = await world.code()
  const input = {
    instructions: [toJson(registrationOf(keyOf(owner), keyOf(world.feePayer)))],
    signerPubkey: keyOf(owner),
    inviteCode,
  }
  const registered = await world.graphql(
    'mutation ($input: RegisterSponsoredInput!) { registerSponsored(input: $input) { id serializedTx sponsored feePayer } }',
    { input },
  )
  expect(registered.errors).toBeUndefined()
  const { id, serializedTx } = (
    registered.data as { registerSponsored: { id: string; serializedTx: string } }
  ).registerSponsored
  const { data } = await world.graphql(
    'mutation ($input: SubmitSponsoredRegistrationInput!) { submitSponsoredRegistration(input: $input) { status sponsored } }',
    {
      input: {
        id,
        signedTx: signed({ serializedTx }, owner),
        signerPubkey: keyOf(owner),
        inviteCode,
      },
    },
  )
  expect(data).toEqual({ submitSponsoredRegistration: { status: 'CONFIRMED', sponsored: true } })
})

test('refuses a second registration of a wallet or a code, and the sixth of a client', async () => {
  const client = newClient()
  const owner = Keypair.generate()
  const once = await world.code()
  const many = await world.code(100)
  const first = await world.register({ owner, inviteCode: once, client })
  await world.submitRegistration(first.body, owner, once, client)
  expect(await world.register({ owner, inviteCode: many, client })).toEqual(
    refused(409, 'WALLET_SPONSORED', `Wallet ${keyOf(owner)} has already received a sponsored registration`),
  )
  expect(await world.register({ inviteCode: once, client })).toEqual(
    refused(403, 'INVITE_CODE_INVALID', 'The invite code is unknown, expired, revoked or used up'),
  )
  for (let i = 0; i < 4; i++) expect(await world.registerAndSubmit(many, client)).toBe(200)
  const other = Keypair.generate()
  const limited = await world.t.app.inject({
    method: 'POST',
    url: '/sponsor/register',
    remoteAddress: `::ffff:${client}`,
    payload: {
      instructions: [toJson(registrationOf(keyOf(other), keyOf(world.feePayer)))],
      signerPubkey: keyOf(other),
      inviteCode: many,
    },
  })
  expect(limited.statusCode).toBe(429)
  expect(limited.json()).toMatchObject({
    error: expect.stringMatching(/^At most 5 sponsored registrations per IP address and day/) as string,
  })
  const wait = Number(limited.headers['retry-after'])
  expect(wait).toBeGreaterThan(86_300)
  expect(wait).toBeLessThanOrEqual(86_400)
  // A day later.
  await sql`update sponsorships set created_at = created_at - interval '24 hours'
    where client_network = ${client}`.execute(world.t.kysely)
  expect((await world.register({ inviteCode: many, client })).status).toBe(200)
})

test('refuses the sixth preparation of a client until one of the others has expired', async () => {
  const client = newClient()
  const inviteCode = await world.code(100)
  for (let i = 0; i < 2; i += 1) expect(await world.registerAndSubmit(inviteCode, client)).toBe(200)
  const owner = Keypair.generate()
  const prepared = await world.register({ owner, inviteCode, client })
  for (let i = 0; i < 2; i += 1) expect((await world.register({ inviteCode, client })).status).toBe(200)

  const other = Keypair.generate()
  const reason =
    /^At most 5 sponsored registrations per IP address and day: 2 signed in the last 24 hours and 3 prepared that can still be signed\. Try again in \d+ s\.$/
  const sixth = await world.t.app.inject({
    method: 'POST',
    url: '/sponsor/register',
    remoteAddress: client,
    payload: {
      instructions: [toJson(registrationOf(keyOf(other), keyOf(world.feePayer)))],
      signerPubkey: keyOf(other),
      inviteCode,
    },
  })
  expect(responseOf(sixth)).toEqual(refused(429, 'SPONSOR_CLIENT_LIMIT', expect.stringMatching(reason)))
  const wait = Number(sixth.headers['retry-after'])
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(300)
  const eligibility = await world.t.app.inject({
    url: `/sponsor/eligibility?wallet=${keyOf(other)}&code=${inviteCode}`,
    remoteAddress: client,
  })
  expect(eligibility.json()).toEqual({ eligible: false, reason: expect.stringMatching(reason) as string })

  // Preparations keep nothing from other networks, and those of the client can be signed or
  // repeated.
  expect((await world.register({ owner: other, inviteCode })).status).toBe(200)
  expect((await world.register({ owner, inviteCode, client })).status).toBe(200)
  expect((await world.submitRegistration(prepared.body, owner, inviteCode, client)).status).toBe(200)
  expect((await world.register({ inviteCode, client })).status).toBe(429)
  const { rows } = await sql`
    select 1 from prepared_transactions where id = ${prepared.body.id} and client_network is not null
  `.execute(world.t.kysely)
  expect(rows).toEqual([])
  await sql`update prepared_transactions set last_valid_block_height = 0
    where client_network = ${client}`.execute(world.t.kysely)
  expect((await world.register({ inviteCode, client })).status).toBe(200)
})

test('of many preparations that a client sends at once, as many succeed as it can sign', async () => {
  const client = newClient()
  const inviteCode = await world.code(100)
  const prepared = await Promise.all(Array.from({ length: 12 }, () => world.register({ inviteCode, client })))
  const counts = [200, 429].map((code) => prepared.filter(({ status }) => status === code).length)
  expect(counts).toEqual([5, 7])
})

test('a preparation counts for the client that submits it, and submits count only what is signed', async () => {
  const [first, second] = [newClient(), newClient()]
  const inviteCode = await world.code(100)
  const owners = Array.from({ length: 6 }, () => Keypair.generate())
  const prepared = await Promise.all(
    owners.map((owner) => world.register({ owner, inviteCode, client: newClient() })),
  )
  const submitted: Awaited<ReturnType<SponsorWorld['submitRegistration']>>[] = []
  for (const [i, owner] of owners.entries())
    submitted.push(await world.submitRegistration(prepared[i]!.body, owner, inviteCode, second))
  expect(submitted.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429])
  expect(submitted[5]!.body.error).toMatch(
    /^At most 5 sponsored registrations per IP address and day: 5 signed in the last 24 hours\. Try again in 86\d{3} s\.$/,
  )
  expect((await world.register({ inviteCode, client: second })).status).toBe(429)
  expect((await world.register({ inviteCode, client: first })).status).toBe(200)
})

test('a code is revoked by its text or its id, and nothing else revokes any', async () => {
  const [first, second] = [
    await world.codes.create({ maxUses: 1, expiresAt: null }),
    await world.codes.create({ maxUses: 2, expiresAt: null }),
  ]
  const revoked = async () => {
    const rows = (await world.codes.list()).filter(({ id }) => [first.id, second.id].includes(id))
    return rows.map(({ id, revokedAt }) => [id, revokedAt !== null])
  }
  expect([first.id, second.id]).toEqual([expect.stringMatching(/^[0-9a-f]{10}$/), expect.any(String)])
  const texts = ['', '%', first.id.slice(1), `${first.id}0`, `0${first.id}`, first.id.replace(/./, '_')]
  for (const text of texts) expect(await world.codes.revoke(text)).toBe(false)
  // It has the form of an id.
  expect(await world.codes.revoke(first.id.replaceAll(/./g, '0'))).toBe(false)
  expect(await revoked()).toEqual([
    [first.id, false],
    [second.id, false],
  ])
  expect(await world.codes.revoke(first.id)).toBe(true)
  expect(await revoked()).toEqual([
    [first.id, true],
    [second.id, false],
  ])
  // Another start with the same code neither enables nor changes it.
  await world.codes.ensure(first.code, 5)
  expect((await world.codes.list()).find(({ id }) => id === first.id)).toMatchObject({ maxUses: 1 })
  await expect(world.codes.ensure('no code', 1)).rejects.toThrow('not an invite code')
  expect(await world.codes.revoke(second.code.toLowerCase())).toBe(true)
})

test('expired, revoked, unknown and malformed codes get the same error', async () => {
  const { code: expired } = await world.codes.create({ maxUses: 1, expiresAt: new Date(Date.now() - 1) })
  const revoked = await world.code()
  expect(await world.codes.revoke(revoked)).toBe(true)
  for (const inviteCode of [expired, revoked, '00000-00000-00000-00000', 'x', 'x'.repeat(10_000)]) {
    expect(await world.register({ inviteCode })).toEqual(
      refused(403, 'INVITE_CODE_INVALID', 'The invite code is unknown, expired, revoked or used up'),
    )
  }
  const typed = (await world.code()).toLowerCase().replaceAll('-', ' ')
  expect((await world.register({ inviteCode: typed })).status).toBe(200)
})

test('refuses a code that was revoked after the registration was prepared', async () => {
  const owner = Keypair.generate()
  const inviteCode = await world.code()
  const { body } = await world.register({ owner, inviteCode })
  await world.codes.revoke(inviteCode)
  expect((await world.submitRegistration(body, owner, inviteCode)).status).toBe(403)
})

test('preparations of a wallet take nothing: neither a code, nor the wallet, nor more than its registration', async () => {
  const inviteCode = await world.code()
  const owner = Keypair.generate()
  const client = newClient()
  for (let i = 0; i < 7; i++) {
    expect((await world.register({ owner, inviteCode, client })).status).toBe(200)
    expect(await world.register({ owner, inviteCode, client, name: '' })).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('InvalidName') as string },
    })
  }
  expect(await world.sponsorships(owner)).toEqual([])
  expect(await world.registerAndSubmit(inviteCode, client)).toBe(200)
})

test('a wallet has one registration that is submitted and has not landed', async () => {
  const inviteCode = await world.code(2)
  const owner = Keypair.generate()
  const prepared = [await world.register({ owner, inviteCode }), await world.register({ owner, inviteCode })]
  world.localnet.fault.http({ methods: ['sendTransaction'], status: 503, count: 3 })
  const [first, second] = await Promise.all(
    prepared.map(({ body }) => world.submitRegistration(body, owner, inviteCode)),
  )
  const [submitted, loser] = first?.status === 200 ? [first, second] : [second, first]
  expect(submitted).toMatchObject({ status: 200, body: { status: 'confirmed' } })
  expect(loser).toEqual(
    refused(
      409,
      'REGISTRATION_OPEN',
      `Wallet ${keyOf(owner)} already has a pending sponsored registration. Read its status, or try again after it expires.`,
    ),
  )
})

test('refuses a wallet that has an agent', async () => {
  const { keypair } = await world.wallet('Own')
  expect(await world.register({ owner: keypair, inviteCode: await world.code() })).toMatchObject({
    status: 409,
    body: { error: `Wallet ${keyOf(keypair)} already has an agent` },
  })
})

test('a registration that expired cannot be submitted', async () => {
  const inviteCode = await world.code()
  const owner = Keypair.generate()
  const { body } = await world.register({ owner, inviteCode })
  world.localnet.stepSlot(200)
  await expect.poll(async () => (await world.status(body.id)).status).toBe('failed')
  expect(await world.submitRegistration(body, owner, inviteCode)).toEqual(
    refused(410, 'TRANSACTION_EXPIRED', 'Transaction expired'),
  )
  expect(await world.sponsorships(owner)).toEqual([])
  expect(await world.registerAndSubmit(inviteCode)).toBe(200)
})

test('a registration that fails at its submit costs and takes nothing', async () => {
  const client = newClient()
  const inviteCode = await world.code(10)
  for (let i = 0; i < 4; i += 1) expect((await world.register({ inviteCode, client })).status).toBe(200)
  const owner = await world.funded()
  const { body } = await world.register({ owner, inviteCode, client })
  await world.transact([registrationOf(keyOf(owner), keyOf(owner))], [owner])
  const before = await world.balance()
  const submitted = await world.submitRegistration(body, owner, inviteCode, client)
  expect(submitted.body).toMatchObject({ status: 'failed', error: { code: 'simulation_failed' }, slot: null })
  // A client whose first response was lost gets the same one.
  expect(await world.submitRegistration(body, owner, inviteCode, client)).toEqual(submitted)
  expect(await world.balance()).toBe(before)
  expect(await world.sponsorships(owner)).toEqual([])
  expect((await world.register({ inviteCode, client })).status).toBe(200)
  expect((await world.register({ inviteCode, client })).status).toBe(429)
})

test('a submit must leave the minimum balance', async () => {
  const inviteCode = await world.code()
  const owner = Keypair.generate()
  const { body } = await world.register({ owner, inviteCode })
  await sql`update sponsorships set spent_lamports = reserved_lamports where spent_lamports is null`.execute(
    world.t.kysely,
  )
  const balance = await world.balance()
  const rent = await world.connection.getMinimumBalanceForRentExemption(
    SPONSOR_POLICY.registration.creates.bytes,
  )
  // It costs the rent and a fee of less than a tenth of it.
  const submit = async (left: number) => {
    world.limits.minBalance = BigInt(Math.round(balance - left * rent))
    return (await world.submitRegistration(body, owner, inviteCode)).status
  }
  expect(await submit(0.9)).toBe(503)
  expect(await world.sponsorships(owner)).toEqual([])
  expect(await submit(1.1)).toBe(200)
})

test('without a key sponsorship is off, and every operation says so', async () => {
  const off = await createAppOfTest({ ledger: world.rpc, feePayer: null })
  const post = async (url: string, payload: object) => {
    const response = await off.app.inject({ method: 'POST', url, payload })
    return [response.statusCode, response.json<{ error: string }>().error]
  }
  const owner = Keypair.generate()
  const instructions = [toJson(registrationOf(keyOf(owner), keyOf(world.feePayer)))]
  const input = { instructions, signerPubkey: keyOf(owner), inviteCode: 'x' }
  const refused = [503, 'Sponsorship is off']
  expect(await post('/sponsor/register', input)).toEqual(refused)
  const submission = { id: 'x', signedTx: 'x', signerPubkey: keyOf(owner), inviteCode: 'x' }
  expect(await post('/sponsor/register/submit', submission)).toEqual(refused)
  expect(await post('/relay/prepare/sponsored', { instructions, signerPubkeys: [keyOf(owner)] })).toEqual(
    refused,
  )
  const asked = await off.app.inject(`/sponsor/eligibility?wallet=${keyOf(owner)}&code=x`)
  expect(asked.json()).toEqual({ eligible: false, reason: 'Sponsorship is off' })
  expect((await off.app.inject('/info')).json()).toMatchObject({ feeSponsorshipEnabled: false })
})

test('the health reports follow the balance', async () => {
  const enabled = async () => [
    (await world.t.app.inject('/info')).json<{ feeSponsorshipEnabled: boolean }>().feeSponsorshipEnabled,
    (await world.t.app.inject('/health/detailed')).json<{ feePayer: { enabled: boolean } }>().feePayer
      .enabled,
  ]
  expect(await enabled()).toEqual([true, true])
  world.limits.minBalance = BigInt(await world.balance()) + 1n
  await expect.poll(enabled).toEqual([false, false])
})
