import {
  type Keypair,
  SystemProgram,
  type TransactionInstruction,
  VersionedTransaction,
} from '@solana/web3.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createRelayWorld,
  keyOf,
  type Prepared,
  type RelayWorld,
  signed,
} from '../../support/transactions/relay-world.ts'

let world: RelayWorld
let payer: Keypair
beforeAll(async () => {
  world = await createRelayWorld()
  payer = await world.funded()
})
afterAll(() => world.close())

let lamports = 0
/** A new amount each time, so that all transactions differ. */
const transfer = (from = payer, to = from): TransactionInstruction =>
  SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to.publicKey, lamports: (lamports += 1) })

/** How REST and GraphQL refuse the same submission. */
async function refusals(id: unknown, signedTx: unknown) {
  const { status, body } = await world.submit(id as string, signedTx as string)
  const { data, errors } = await world.graphql(
    'mutation ($id: String!, $tx: String!) { submitTransaction(id: $id, signedTx: $tx) { status } }',
    { id, tx: signedTx },
  )
  expect(data ?? null).toBeNull()
  return { status, body, error: errors?.[0] }
}

/** The status and the texts, which must be equal, and the additional members. */
async function refusal(id: unknown, signedTx: unknown): Promise<[status: number, ...texts: unknown[]]> {
  const { status, body, error } = await refusals(id, signedTx)
  expect(error).toMatchObject({ message: body.error, extensions: { status } })
  return [status, body.error, ...(body.message === undefined ? [] : [body.message])]
}

const MISMATCH = [400, 'Signed transaction does not match the prepared transaction']

test.each([
  [undefined, undefined],
  ['x', undefined],
  [undefined, 'x'],
  [null, null],
])('%j with %j', async (id, signedTx) => {
  const { status, body, error } = await refusals(id, signedTx)
  expect([status, body.error]).toEqual([400, 'id and signedTx are required'])
  // GraphQL itself refuses missing values.
  expect(error).toMatchObject({
    message: expect.stringContaining('"String!"'),
    extensions: { code: 'INVALID_REQUEST', status: 400 },
  })
})

test('an id that is not text', async () => {
  const { status, body } = await world.submit(1 as never, 'x')
  expect([status, body.error]).toEqual([400, 'id must be text, got 1'])
})

const NEVER_GIVEN = '00000000-0000-0000-0000-000000000000'

test.each(['', 'x', '\u0000', NEVER_GIVEN, `\u0000${NEVER_GIVEN}`, `${NEVER_GIVEN}\u0000`])(
  'the id %j, which was never given',
  async (id) => {
    expect(await refusal(id, 'AA==')).toEqual([404, 'Transaction not found'])
  },
)

test.each([
  ['', 'unexpected end of data'],
  ['not base64', 'not base64 with padding'],
  ['AA==', 'unexpected end of data'],
  [Buffer.alloc(1_233).toString('base64'), 'transaction too large: 1233 bytes (max: 1232 bytes)'],
  [Buffer.alloc(100_000).toString('base64'), 'longer than 5464 characters of base64'],
])('bytes that are not a transaction (%#)', async (signedTx, message) => {
  const { id } = await world.prepare([transfer()], [payer])
  expect(await refusal(id, signedTx)).toEqual([400, 'Invalid signed transaction', message])
})

test.each([1, 2])('a transaction of version %d, as long as version 1 allows', async (version) => {
  const { id } = await world.prepare([transfer()], [payer])
  const signedTx = Buffer.concat([Buffer.from([0x80 + version]), Buffer.alloc(4_095)]).toString('base64')
  expect(await refusal(id, signedTx)).toEqual([
    400,
    `Transaction version ${version} is not supported. Sign the prepared transaction, which has version 0`,
  ])
})

test('an unsigned, a wrongly signed and another transaction are refused, and the right one is accepted', async () => {
  const mine = await world.prepare([transfer()], [payer])
  const invalid = [400, `Missing or invalid signature for ${keyOf(payer)}`]
  expect(await refusal(mine.id, mine.serializedTx)).toEqual(invalid)
  const flipped = Buffer.from(signed(mine, payer), 'base64')
  flipped[20] = (flipped[20] ?? 0) ^ 1
  expect(await refusal(mine.id, flipped.toString('base64'))).toEqual(invalid)
  const foreign = await world.prepare([transfer()], [payer])
  expect(await refusal(mine.id, signed(foreign, payer))).toEqual(MISMATCH)
  expect((await world.status(mine.id)).status).toBe('simulated')
  expect((await world.submit(mine.id, signed(mine, payer))).body.status).toBe('confirmed')
})

/** The prepared transaction with its message changed, signed by its payer. */
function changed(prepared: Prepared, change: (transaction: VersionedTransaction) => void): string {
  const transaction = VersionedTransaction.deserialize(Buffer.from(prepared.serializedTx, 'base64'))
  change(transaction)
  transaction.sign([payer])
  return Buffer.from(transaction.serialize()).toString('base64')
}

test('a second message for a transaction that was submitted', async () => {
  const prepared = await world.prepare([transfer()], [payer])
  await world.submit(prepared.id, signed(prepared, payer))
  const other = changed(prepared, ({ message }) => {
    const [limit] = message.compiledInstructions
    Buffer.from(limit?.data.buffer ?? new ArrayBuffer(0), limit?.data.byteOffset, 5).writeUInt32LE(999, 1)
  })
  expect(other).not.toBe(signed(prepared, payer))
  expect(await refusal(prepared.id, other)).toEqual(MISMATCH)
})

test('nothing was sent to the node', () => {
  // The two valid submits.
  expect(world.calls.filter((each) => each === 'sendTransaction')).toHaveLength(2)
})
