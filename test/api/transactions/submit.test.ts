import type { LedgerRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type Keypair,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
  VersionedTransaction,
} from '@solana/web3.js'
import bs58 from 'bs58'
import nacl from 'tweetnacl'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { MAX_TRANSACTION_VERSION } from '@agent-registry/solana'
import {
  addresses,
  FAST_TIMING,
  keyOf,
  type Prepared,
  registration,
  signed,
  useRelayWorld,
} from '../../support/transactions/relay-world.ts'
import { refused } from '../../support/refusal.ts'

const world = useRelayWorld()
let payer: Keypair
beforeAll(async () => {
  payer = await world.funded()
})

let lamports = 0
/** A new amount each time, so that all transactions differ. */
const transfer = (from = payer, to = from): TransactionInstruction =>
  SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to.publicKey, lamports: (lamports += 1) })
const sends = () => world.calls.filter((each) => each === 'sendTransaction').length

/** A node whose calls wait until `passed`. `reached` resolves at the first one. */
function slowNode() {
  const [reached, passed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const call: LedgerRpc['call'] = async (method, params) => {
    reached.resolve()
    await passed.promise
    return world.rpc.call(method, params)
  }
  return { reached, passed, rpc: { ...world.rpc, call } }
}

describe('REST and GraphQL refuse', () => {
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
    expect(sends()).toBe(2)
  })
})

test('a transaction signed with web3.js is confirmed, then final, with slot and signature', async () => {
  const owner = await world.funded()
  const prepared = await world.prepare([registration(owner)], [owner])
  const signedTx = signed(prepared, owner)
  const { status, body } = await world.submit(prepared.id, signedTx)
  const { signatures } = VersionedTransaction.deserialize(Buffer.from(signedTx, 'base64'))
  expect(status).toBe(200)
  expect(body).toEqual({
    id: prepared.id,
    status: 'confirmed',
    signature: bs58.encode(signatures[0] ?? new Uint8Array()),
    error: null,
    slot: expect.any(Number) as number,
  })
  const onLedger = await world.connection.getTransaction(body.signature ?? '', {
    maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION,
  })
  expect(onLedger?.slot).toBe(body.slot)
  expect(await world.connection.getAccountInfo(agentAddress(owner))).not.toBeNull()
  world.localnet.stepSlot(33)
  await expect.poll(() => world.settled(prepared.id)).toBe(true)
  expect(await world.status(prepared.id)).toEqual(body)
})

test('a transaction signed with tweetnacl and bs58 only is accepted in GraphQL', async () => {
  const owner = await world.funded()
  const { id, serializedTx } = await world.prepare([registration(owner)], [owner])
  const bytes = new Uint8Array(Buffer.from(serializedTx, 'base64'))
  expect(bytes[0]).toBe(1)
  bytes.set(nacl.sign.detached(bytes.subarray(65), owner.secretKey), 1)
  const { data } = await world.graphql(
    'mutation ($id: String!, $tx: String!) { submitTransaction(id: $id, signedTx: $tx) { status signature slot error { code } sponsored } }',
    { id, tx: Buffer.from(bytes).toString('base64') },
  )
  expect(data).toEqual({
    submitTransaction: {
      status: 'CONFIRMED',
      signature: bs58.encode(bytes.subarray(1, 65)),
      slot: expect.any(Number) as number,
      error: null,
      sponsored: false,
    },
  })
  const read = await world.graphql('query ($id: String!) { transaction(id: $id) { status } }', { id })
  expect(read.data).toEqual({ transaction: { status: 'CONFIRMED' } })
})

test('50 concurrent submits of one transaction give one record and one send', async () => {
  const prepared = await world.prepare([transfer()], [payer])
  const signedTx = signed(prepared, payer)
  const before = sends()
  const answers = await Promise.all(Array.from({ length: 50 }, () => world.submit(prepared.id, signedTx)))
  expect(new Set(answers.map((each) => JSON.stringify(each))).size).toBe(1)
  expect(answers[0]).toMatchObject({ status: 200, body: { status: 'confirmed' } })
  expect(sends() - before).toBe(1)
  expect(await world.submit(prepared.id, signedTx)).toEqual(answers[0])
  expect(sends() - before).toBe(1)
})

test('concurrent submits to two replicas give one send', async () => {
  const prepared = await world.prepare([transfer()], [payer])
  const signedTx = signed(prepared, payer)
  const before = sends()
  const other = world.replica()
  const records = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      (i % 2 === 0 ? other : world.t.services.transactions).submit(
        { id: prepared.id, signedTx },
        '192.0.2.1',
      ),
    ),
  )
  expect(new Set(records.map((each) => each.status))).toEqual(new Set(['confirmed']))
  expect(sends() - before).toBe(1)
})

test('a submit that arrives late, after the transaction was stored and expired, gets its record', async () => {
  const prepared = await world.prepare([transfer()], [payer])
  const submission = { id: prepared.id, signedTx: signed(prepared, payer) }
  const { reached, passed, rpc } = slowNode()
  const slow = world.replica({ rpc })
  const late = slow.submit(submission, '192.0.2.1')
  await reached.promise
  const { body } = await world.submit(submission.id, submission.signedTx)
  world.localnet.stepSlot(200)
  passed.resolve()
  expect(body.status).toBe('confirmed')
  expect(await late).toMatchObject({ status: 'confirmed', signature: body.signature })
})

test('a transaction that fails the node’s preflight is not sent: simulation_failed, with logs', async () => {
  const owner = await world.funded()
  const [first, second] = [
    await world.prepare([registration(owner, 'One')], [owner]),
    await world.prepare([registration(owner, 'Two')], [owner]),
  ]
  expect((await world.submit(first.id, signed(first, owner))).body.status).toBe('confirmed')
  const { body } = await world.submit(second.id, signed(second, owner))
  expect(body).toMatchObject({
    status: 'failed',
    slot: null,
    error: { code: 'simulation_failed', message: expect.stringMatching(/^Instruction 0: /) as string },
  })
  world.localnet.stepSlot(200)
  await expect.poll(() => world.settled(second.id)).toBe(true)
  expect(await world.status(second.id)).toEqual(body)
})

test('a transaction that fails on the ledger is execution_failed, with logs and slot', async () => {
  const owner = await world.funded()
  const prepared = await world.prepare([registration(owner, 'Late')], [owner])
  const signedTx = signed(prepared, owner)
  // Sent directly to the node, after another transaction of the owner made it fail.
  await world.transact([registration(owner, 'Early')], [owner])
  await world.connection.sendRawTransaction(Buffer.from(signedTx, 'base64'), { skipPreflight: true })
  world.localnet.stepSlot()
  const { body } = await world.submit(prepared.id, signedTx)
  expect(body).toMatchObject({ error: { code: 'execution_failed' }, slot: expect.any(Number) as number })
  expect((body.error as unknown as { logs: string[] }).logs.join('\n')).toContain('RegisterAgent')
})

test('after its last block height it is 410, and failed with blockhash_expired', async () => {
  const prepared = await world.prepare([transfer()], [payer])
  world.localnet.stepSlot(200)
  await expect.poll(async () => (await world.status(prepared.id)).status).toBe('failed')
  expect(await world.status(prepared.id)).toMatchObject({
    signature: null,
    error: { code: 'blockhash_expired' },
  })
  expect(await world.submit(prepared.id, signed(prepared, payer))).toEqual(
    refused(410, 'TRANSACTION_EXPIRED', 'Transaction expired'),
  )
})

test('a transaction is accepted at its last block height, and refused one block later', async () => {
  const prepared = await world.prepare([transfer()], [payer])
  const submission = { id: prepared.id, signedTx: signed(prepared, payer) }
  const submitAt = (blockHeight: number) =>
    world
      .replica({
        rpc: {
          ...world.rpc,
          call: async (method, params) =>
            method === 'getLatestBlockhash'
              ? ({ context: { slot: 1 }, value: { lastValidBlockHeight: blockHeight + 150 } } as never)
              : world.rpc.call(method, params),
        },
      })
      .submit(submission, '192.0.2.1')
  await expect(submitAt(prepared.lastValidBlockHeight + 1)).rejects.toThrow('Transaction expired')
  expect(await submitAt(prepared.lastValidBlockHeight)).toMatchObject({ status: 'confirmed' })
})

test('the end of the tracker waits for the search that is running', async () => {
  await world.prepare([transfer()], [payer])
  const { reached, passed, rpc } = slowNode()
  const { tracker } = world.replica({ rpc })
  tracker.start()
  await reached.promise
  let isStopped = false
  const stopped = tracker.stop().then(() => (isStopped = true))
  await nextTurn()
  expect(isStopped).toBe(false)
  passed.resolve()
  await stopped
})

test('a submit is tracked at once, also by a tracker that was idle', async () => {
  world.localnet.stepSlot(200)
  const { kysely } = world.t
  const open = () => kysely.selectFrom('prepared_transactions').select('id').where('settled', '=', false)
  await expect.poll(() => open().execute()).toEqual([])
  // A stopped tracker cannot be started again, so this test is the last one.
  await world.t.transactions.tracker.stop()
  const { tracker, submit } = world.replica({ timing: { ...FAST_TIMING, idlePollMs: 3_600_000 } })
  tracker.start()
  onTestFinished(() => tracker.stop())
  const { id, ...prepared } = await world.prepare([transfer()], [payer])
  const submission = { id, signedTx: signed(prepared, payer) }
  expect(await submit(submission, '192.0.2.1')).toMatchObject({ status: 'confirmed' })
})

function agentAddress(owner: Keypair) {
  return new PublicKey(addresses.agent(keyOf(owner)))
}
