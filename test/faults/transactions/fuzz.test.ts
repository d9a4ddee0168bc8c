import { type Keypair, SystemProgram } from '@solana/web3.js'
import * as fc from '../../support/property.ts'
import { beforeAll, expect, test } from 'vitest'
import { keyOf, type Prepared, signed, useRelayWorld } from '../../support/transactions/relay-world.ts'
import { byteEdits, editBytes } from '../../support/transactions/random-cases.ts'

const RUNS = 1_000

// The prepared transaction must not expire during the test.
const world = useRelayWorld({ slotMs: 2_000 })
let payer: Keypair
let prepared: Prepared
let valid: Buffer
beforeAll(async () => {
  payer = await world.funded()
  prepared = await world.prepare(
    [SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: payer.publicKey, lamports: 1 })],
    [payer],
  )
  valid = Buffer.from(signed(prepared, payer), 'base64')
})

test('any submitted bytes get 400 with a contract text, and nothing is sent', async () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 1_300 }).map((each) => Buffer.from(each)),
    { weight: 3, arbitrary: byteEdits(300).map((edits) => editBytes(valid, edits)) },
  )
  await fc.assert(
    fc.asyncProperty(bytes, async (each) => {
      fc.pre(Buffer.compare(each, valid) !== 0)
      const { status, body } = await world.submit(prepared.id, each.toString('base64'))
      expect({ status, error: body.error }).toEqual({
        status: 400,
        error: expect.stringMatching(
          /^(Invalid signed transaction|Transaction version \d+ is not supported\. Sign the prepared transaction, which has version 0|Signed transaction does not match the prepared transaction|Missing or invalid signature for \w+)$/,
        ) as string,
      })
    }),
    { numRuns: RUNS },
  )
  expect(world.calls).not.toContain('sendTransaction')
  expect((await world.status(prepared.id)).status).toBe('simulated')
})

test('any submitted text with any id is refused', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary', maxLength: 50 }),
      fc.string({ maxLength: 2_000 }),
      async (id, tx) => {
        const unknown = await world.submit(id, tx)
        expect([unknown.status, unknown.body.error]).toEqual([404, 'Transaction not found'])
        expect((await world.submit(prepared.id, tx)).status).toBe(400)
      },
    ),
    { numRuns: 200 },
  )
})

/** The body of a prepare, each part of it as `part` changes it. */
function prepareBody(part: <T>(arbitrary: fc.Arbitrary<T>) => fc.Arbitrary<unknown>) {
  const program = fc.constantFrom(
    SystemProgram.programId.toBase58(),
    'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  )
  const key = part(
    fc.oneof(
      program,
      fc.constantFrom(
        keyOf(payer),
        'DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs',
        'SysvarC1ock11111111111111111111111111111111',
      ),
    ),
  )
  const account = fc.record({
    pubkey: key,
    isSigner: part(fc.boolean()),
    isWritable: part(fc.boolean()),
  })
  const instruction = fc.record({
    programId: fc.oneof({ weight: 20, arbitrary: program }, key),
    keys: part(fc.array(part(account), { maxLength: 6 })),
    data: part(fc.uint8Array({ maxLength: 300 }).map((each) => Buffer.from(each).toString('base64'))),
  })
  return fc.record({
    instructions: part(fc.array(part(instruction), { maxLength: 18 })),
    signerPubkeys: part(fc.oneof(fc.constant([keyOf(payer)]), fc.array(key, { maxLength: 3 }))),
    priorityLevel: part(fc.constantFrom('low', 'medium', 'high')),
  })
}

test('a prepare of any input is never a 5xx', async () => {
  const anything = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.string({ maxLength: 50 }))
  const body = fc.oneof(
    prepareBody((arbitrary) => arbitrary),
    prepareBody((arbitrary) => fc.oneof({ weight: 30, arbitrary }, anything)),
  )
  const seen = new Set<number>()
  await fc.assert(
    fc.asyncProperty(body, async (each) => {
      const { status } = await world.post('/relay/prepare', each)
      seen.add(status)
      expect(status).toBeLessThan(500)
    }),
    { numRuns: RUNS },
  )
  expect([...seen]).toEqual(expect.arrayContaining([400, 422]))
})
