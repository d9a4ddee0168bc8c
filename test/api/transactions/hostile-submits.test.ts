import { ComputeBudgetProgram, Keypair, SystemProgram } from '@solana/web3.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { CLIENTS, json, type Prepared, restClient } from '../../support/transactions/sponsor-clients.ts'
import {
  meta,
  type Parties,
  publicKey,
  sponsoredRegistration,
  update,
} from '../../support/transactions/parties.ts'
import { createHostileWorld, keyOf } from '../../support/transactions/hostile-world.ts'
import { assertion, signChanged, stealingAssertion } from '../../support/transactions/changed-transactions.ts'
import { TAMPERINGS } from '../../support/transactions/tampering.ts'
import { eventually } from '../../support/eventually.ts'
import { signed } from '../../support/transactions/relay-world.ts'
import { perFile } from '../../support/lifetime.ts'

// Slots pass only by stepSlot, so nothing that was prepared expires meanwhile.
const world = perFile(() => createHostileWorld({ slotMs: 0, submitWaitMs: 0 }))
let parties: Parties
let code: string
/** One sponsored transaction of each kind for all attacks. A refused attack does not change it. */
let registration: { wallet: Keypair; prepared: Prepared }
let transaction: { wallet: Keypair; prepared: Prepared }
let before: number

beforeAll(async () => {
  const api = restClient(world.t)
  code = await world.code(100)
  const feePayer = keyOf(world.feePayer)
  const wallet = await registered()
  parties = { feePayer, wallet, stranger: Keypair.generate() }
  registration = await prepareRegistration()
  const asked = await api.prepareSponsored({
    // Enough instructions that the margin of the compute-unit limit covers an attack.
    instructions: json(['2.0', '2.1', '2.2', '2.3'].map((version) => update(wallet, { version }))),
    signerPubkeys: [keyOf(wallet)],
  })
  transaction = { wallet, prepared: asked.body }
  before = await world.balance()
  world.calls.length = 0
})

async function prepareRegistration(): Promise<{ wallet: Keypair; prepared: Prepared }> {
  const wallet = Keypair.generate()
  const { body } = await restClient(world.t, { address: `2001:db8:${(networks += 1)}::1` }).register({
    instructions: json([sponsoredRegistration({ feePayer: keyOf(world.feePayer), wallet })]),
    signerPubkey: keyOf(wallet),
    inviteCode: code,
  })
  return { wallet, prepared: body }
}
let networks = 0

async function registered(): Promise<Keypair> {
  const { wallet, prepared } = await prepareRegistration()
  const body = { id: prepared.id, signedTx: signed(prepared, wallet) }
  await restClient(world.t).submitRegistration({ ...body, signerPubkey: keyOf(wallet), inviteCode: code })
  await confirmed(prepared.id)
  return wallet
}

async function confirmed(id: string): Promise<void> {
  await eventually(async () => {
    world.localnet.stepSlot()
    expect((await restClient(world.t).status(id)).body.status).toBe('confirmed')
  })
}

const registrationBody = (signedTx: string) => ({
  id: registration.prepared.id,
  signedTx,
  signerPubkey: keyOf(registration.wallet),
  inviteCode: code,
})

describe.each(CLIENTS.map((api) => [api({ app: undefined as never }).name, api] as const))(
  'through %s the service does not sign',
  (_, open) => {
    test.each(TAMPERINGS.map((each) => [each.name, each] as const))('%s', async (__, { signedTx, error }) => {
      const api = open(world.t)
      const ofRegistration = { ...parties, wallet: registration.wallet }
      const answers = [
        await api.submitRegistration(
          registrationBody(signedTx(ofRegistration, registration.prepared.serializedTx)),
        ),
        await api.submit({
          id: transaction.prepared.id,
          signedTx: signedTx(parties, transaction.prepared.serializedTx),
        }),
      ]
      for (const answer of answers)
        expect(answer).toMatchObject({ status: 400, error: expect.stringMatching(error) as string })
    })

    test.each([
      ['the id of another transaction', 'does not match the prepared transaction', 400],
      ['an id that was never given', 'Transaction not found', 404],
    ])('%s', async (__, text, status) => {
      const api = open(world.t)
      const id = status === 404 ? '00000000-0000-4000-8000-000000000000' : transaction.prepared.id
      const signedTx = signed(registration.prepared, registration.wallet)
      expect(await api.submit({ id, signedTx })).toMatchObject({
        status,
        error: expect.stringContaining(text) as string,
      })
    })

    test('a transaction prepared without sponsorship, with the fee payer as its payer', async () => {
      const transfer = SystemProgram.transfer({
        fromPubkey: world.feePayer.publicKey,
        toPubkey: parties.wallet.publicKey,
        lamports: 1_000_000,
      })
      const asked = await world.t.app.inject({
        method: 'POST',
        url: '/relay/prepare',
        payload: { instructions: json([transfer]), signerPubkeys: [parties.feePayer] },
      })
      const { id, serializedTx } = asked.json<Prepared>()
      const answer = await open(world.t).submit({ id, signedTx: serializedTx })
      expect([answer.status, answer.error]).toEqual([
        400,
        `Missing or invalid signature for ${parties.feePayer}`,
      ])
    })

    test('a registration submitted as a transaction, and the reverse', async () => {
      const api = open(world.t)
      const { prepared, wallet } = registration
      const signedTx = signed(prepared, wallet)
      expect(await api.submit({ id: prepared.id, signedTx })).toMatchObject({
        status: 400,
        error: 'The transaction is a sponsored registration: submit it to POST /sponsor/register/submit',
      })
      const other = {
        ...registrationBody(signed(transaction.prepared, transaction.wallet)),
        id: transaction.prepared.id,
      }
      expect(await api.submitRegistration(other)).toMatchObject({
        status: 400,
        error: 'The transaction is not a sponsored registration: submit it to POST /relay/submit',
      })
    })

    test('a registration with another code or wallet than the prepared one', async () => {
      const signedTx = signed(registration.prepared, registration.wallet)
      const body = registrationBody(signedTx)
      const wrong = [
        { ...body, inviteCode: await world.code() },
        { ...body, inviteCode: 'x' },
        { ...body, signerPubkey: keyOf(parties.wallet) },
      ]
      for (const each of wrong)
        expect(await open(world.t).submitRegistration(each)).toMatchObject({
          status: 403,
          error: 'signerPubkey and inviteCode must match the prepared registration',
        })
    })

    // Changes that wallets may make are simulated again, and their cost is measured.
    test.each([
      ['a part of its balance', 20_000_000],
      ['one lamport', 1],
    ])('an assertion that takes %s from the fee payer', async (__, lamports) => {
      for (const { wallet, prepared } of [registration, transaction]) {
        const take = stealingAssertion({ ...parties, wallet }, lamports)
        const signedTx = signChanged(prepared.serializedTx, [wallet], ({ instructions }) => ({
          instructions: [...instructions, take],
        }))
        const api = open(world.t)
        const answer =
          prepared === registration.prepared
            ? await api.submitRegistration(registrationBody(signedTx))
            : await api.submit({ id: prepared.id, signedTx })
        expect(answer).toMatchObject({
          status: 403,
          error: expect.stringMatching(
            /^The transaction exceeds the sponsorship limit: \d+ lamports, at most \d+$/,
          ) as string,
        })
      }
    })
  },
)

test('nothing was sent, signed or paid for any attack', async () => {
  expect(world.calls).not.toContain('sendTransaction')
  expect(await world.balance()).toBe(before)
  expect(await world.states()).toEqual({ confirmed: 1 })
  const rows = await world.t.kysely
    .selectFrom('prepared_transactions')
    .select('signature')
    .where('id', 'in', [registration.prepared.id, transaction.prepared.id])
    .execute()
  expect(rows).toEqual([{ signature: null }, { signature: null }])
})

test('the valid transactions are accepted afterwards, one with wallet assertions and a lower price', async () => {
  const api = restClient(world.t)
  const signedTx = signed(registration.prepared, registration.wallet)
  expect((await api.submitRegistration(registrationBody(signedTx))).status).toBe(200)
  await confirmed(registration.prepared.id)
  const reading = assertion(meta(publicKey(parties.feePayer)))
  const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 })
  const { id, serializedTx } = transaction.prepared
  const asserted = signChanged(serializedTx, [transaction.wallet], ({ instructions: [limit, , ...own] }) => ({
    instructions: [reading, limit ?? reading, price, ...own, reading],
  }))
  expect(await api.submit({ id, signedTx: asserted })).toMatchObject({ status: 200, error: '' })
  await confirmed(id)
})
