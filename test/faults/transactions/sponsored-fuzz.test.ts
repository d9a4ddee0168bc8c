import { Keypair } from '@solana/web3.js'
import * as fc from '../../support/property.ts'
import { beforeAll, expect, test } from 'vitest'
import {
  graphqlClient,
  json,
  type Prepared,
  restClient,
  type SponsorClient,
} from '../../support/transactions/sponsor-clients.ts'
import { usedMemory } from '../../support/process-use.ts'
import { update } from '../../support/transactions/parties.ts'
import { createHostileWorld, keyOf, registerBy } from '../../support/transactions/hostile-world.ts'
import { byteEdits, editBytes } from '../../support/transactions/random-cases.ts'
import { signed } from '../../support/transactions/relay-world.ts'
import { perFile } from '../../support/lifetime.ts'

const RUNS = 250
const NONE = { statuses: ['simulated', 'simulated'], sent: 0, lost: 0 }
const MEGABYTE = 2 ** 20

// No slot passes by itself, so nothing that was prepared expires.
const world = perFile(() =>
  createHostileWorld({ slotMs: 0, submitWaitMs: 0, limits: { dailyBudget: 10n ** 15n } }),
)
let wallet: Keypair
let code: string
let registration: Prepared
let registrant: Keypair
let transaction: Prepared
let before: number
beforeAll(async () => {
  const api = restClient(world.t)
  const agent = await world.wallet('Fuzzed')
  await world.markSponsored(agent.owner)
  wallet = agent.keypair
  code = await world.code(10_000)
  registrant = Keypair.generate()
  registration = (await registerBy(api, registrant, keyOf(world.feePayer), code)).body
  const body = { instructions: json([update(wallet)]), signerPubkeys: [keyOf(wallet)] }
  transaction = (await api.prepareSponsored(body)).body
  before = await world.balance()
  world.calls.length = 0
})

const apis = (): SponsorClient[] => [restClient(world.t), graphqlClient(world.t)]
const REFUSED =
  /^(Invalid signed transaction|Transaction version \d+ is not supported\. Sign the prepared transaction, which has version 0|Signed transaction does not match the prepared transaction|Missing or invalid signature for \w+|The service signs as the fee payer \w+\. Leave the 64 bytes of its signature zero\.|id and signedTx are required|signedTx is required)$/

test('any submitted bytes get 400 with a contract text, and nothing is signed', async () => {
  const valid = [
    Buffer.from(signed(registration, registrant), 'base64'),
    Buffer.from(signed(transaction, wallet), 'base64'),
  ] as const
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 1_300 }).map((each) => [Buffer.from(each), Buffer.from(each)]),
    {
      weight: 3,
      arbitrary: byteEdits(1_000).map((changes) => valid.map((each) => editBytes(each, changes))),
    },
  )
  await fc.assert(
    fc.asyncProperty(bytes, fc.nat(1), async ([first, second], which) => {
      fc.pre(first !== undefined && second !== undefined)
      fc.pre(Buffer.compare(first, valid[0]) !== 0 && Buffer.compare(second, valid[1]) !== 0)
      const api = apis()[which] as SponsorClient
      const answers = [
        await api.submitRegistration({
          id: registration.id,
          signedTx: first.toString('base64'),
          signerPubkey: keyOf(registrant),
          inviteCode: code,
        }),
        await api.submit({ id: transaction.id, signedTx: second.toString('base64') }),
      ]
      for (const { status, error } of answers)
        expect({ status, error }).toEqual({ status: 400, error: expect.stringMatching(REFUSED) as string })
    }),
    { numRuns: RUNS },
  )
  expect(await harm()).toEqual(NONE)
})

test('any submitted text with any id, wallet and code is refused', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 200 })
  const id = fc.oneof(fc.constant(registration.id), fc.constant(transaction.id), text)
  const key = fc.oneof(fc.constant(keyOf(registrant) as string), text)
  const signed = fc.record({
    id,
    signedTx: text,
    signerPubkey: key,
    inviteCode: fc.oneof(fc.constant(code), text),
  })
  await fc.assert(
    fc.asyncProperty(signed, fc.nat(1), async (body, which) => {
      const api = apis()[which] as SponsorClient
      for (const { status } of [await api.submitRegistration(body), await api.submit(body)]) isRefusal(status)
    }),
    { numRuns: RUNS / 2 },
  )
  expect(await harm()).toEqual(NONE)
})

test('a prepare of any input is never a 5xx', async () => {
  const anything = fc.jsonValue({ maxDepth: 2 })
  const sometimes = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ weight: 30, arbitrary }, anything)
  const key = fc.constantFrom(keyOf(wallet) as string, keyOf(world.feePayer) as string, '', 'x')
  const own = json([update(wallet)])[0]?.data ?? ''
  const instruction = fc.record({
    programId: sometimes(
      fc.oneof({ weight: 9, arbitrary: fc.constant(json([update(wallet)])[0]?.programId) }, key),
    ),
    keys: sometimes(
      fc.array(
        sometimes(
          fc.record({
            pubkey: sometimes(key),
            isSigner: sometimes(fc.boolean()),
            isWritable: sometimes(fc.boolean()),
          }),
        ),
        { maxLength: 12 },
      ),
    ),
    data: sometimes(
      fc.oneof(
        fc.uint8Array({ maxLength: 300 }).map((each) => Buffer.from(each).toString('base64')),
        fc
          .uint8Array({ maxLength: 60 })
          .map((tail) => Buffer.concat([Buffer.from(own, 'base64').subarray(0, 8), tail]).toString('base64')),
      ),
    ),
  })
  const body = fc.record({
    instructions: sometimes(fc.array(sometimes(instruction), { maxLength: 18 })),
    signerPubkeys: sometimes(fc.array(key, { maxLength: 3 })),
    signerPubkey: sometimes(key),
    inviteCode: sometimes(fc.oneof(fc.constant(code), fc.string())),
    priorityLevel: sometimes(fc.constantFrom('low', 'medium', 'high')),
  })
  const urls = [
    '/sponsor/register',
    '/relay/prepare/sponsored',
    '/relay/prepare',
    '/relay/submit',
    '/sponsor/register/submit',
  ]
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom(...urls), async (each, url) => {
      const payload = { ...each, sponsored: true }
      isRefusal((await world.t.app.inject({ method: 'POST', url, payload })).statusCode)
    }),
    { numRuns: RUNS },
  )
  expect(await harm()).toEqual(NONE)
})

test('many concurrent bodies of the maximum size do not stay in memory', async () => {
  const long = 'A'.repeat(250_000)
  const bodies = [
    { id: registration.id, signedTx: long, signerPubkey: keyOf(registrant), inviteCode: code },
    { id: registration.id, signedTx: 'AA==', signerPubkey: long, inviteCode: code },
    { id: registration.id, signedTx: 'AA==', signerPubkey: keyOf(registrant), inviteCode: long },
    { id: long, signedTx: 'AA==', signerPubkey: keyOf(registrant), inviteCode: code },
  ]
  const round = () =>
    Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const payload = bodies[i % bodies.length]
        const { statusCode, body } = await world.t.app.inject({
          method: 'POST',
          url: '/sponsor/register/submit',
          payload,
        })
        isRefusal(statusCode)
        // Input in an error text is truncated.
        if (body.length > 1_000) throw new Error(`an answer of ${body.length} characters`)
      }),
    )
  const after: number[] = []
  for (let i = 0; i < 12; i += 1) {
    await round()
    after.push(usedMemory() / MEGABYTE)
  }
  // A round sends 10 MB. If they stayed in memory, the last three rounds would have 90 MB more.
  expect(Math.min(...after.slice(-3)) - Math.min(...after.slice(0, 3))).toBeLessThan(30)
})

function isRefusal(status: number): void {
  if (status < 400 || status > 499) throw new Error(`answered ${status}`)
}

/** The outcomes of the transactions of this file and their cost. */
async function harm(): Promise<object> {
  const statuses = await Promise.all(
    [registration, transaction].map(async ({ id }) => (await restClient(world.t).status(id)).body.status),
  )
  const sent = world.calls.filter((each) => each === 'sendTransaction').length
  return { statuses, sent, lost: before - (await world.balance()) }
}
