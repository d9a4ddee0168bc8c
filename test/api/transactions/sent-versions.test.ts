import type { Keypair, TransactionInstruction } from '@solana/web3.js'
import { beforeAll, expect, test } from 'vitest'
import {
  type Prepared,
  registration,
  signed,
  toJson,
  useRelayWorld,
} from '../../support/transactions/relay-world.ts'
import { sendByWallet, transferFrom, withPrice } from '../../support/transactions/wallet-sends.ts'

const EXPIRED = 200
const world = useRelayWorld({ transactions: { submitWaitMs: 300 } })
beforeAll(async () => {
  world.localnet.stepSlot(40)
})

/** The same instruction prepared with each priority level and with the same blockhash. */
async function prepareEach(
  instruction: TransactionInstruction,
  payer: Keypair,
  levels: readonly string[],
): Promise<Prepared[]> {
  const instructions = [toJson(instruction)]
  const body = { instructions, signerPubkeys: [payer.publicKey.toBase58()] }
  const bodies = await Promise.all(
    levels.map((priorityLevel) => world.post<Prepared>('/relay/prepare', { ...body, priorityLevel })),
  )
  const prepared = bodies.map((response) => response.body)
  const isSame = new Set(prepared.map(({ blockhash }) => blockhash)).size === 1
  return isSame ? prepared : prepareEach(instruction, payer, levels)
}

async function settledRecords(prepared: readonly Prepared[]) {
  world.localnet.stepSlot(EXPIRED)
  for (const { id } of prepared) await expect.poll(() => world.settled(id)).toBe(true)
  return Promise.all(prepared.map(({ id }) => world.status(id)))
}

test('the same message prepared twice has one signature, and both records have it', async () => {
  const payer = await world.funded()
  const [first, second] = await prepareEach(transferFrom(payer), payer, ['low', 'low'])
  expect(first!.serializedTx).toBe(second!.serializedTx)
  const signature = await sendByWallet(world, signed(first!, payer))
  const landed = { status: 'confirmed', signature }
  expect(await settledRecords([first!, second!])).toMatchObject([landed, landed])
})

test('two prepared transactions that differ by their priority fee keep their own signatures', async () => {
  const payer = await world.funded()
  const prepared = await prepareEach(transferFrom(payer), payer, ['low', 'high', 'medium'])
  const signatures: string[] = []
  for (const each of prepared) signatures.push(await sendByWallet(world, signed(each, payer)))
  const expected = signatures.map((signature) => ({ status: 'confirmed', signature }))
  expect(await settledRecords(prepared)).toMatchObject(expected)
})

test('a prepared transaction is not confirmed by another one with a lower fee that landed', async () => {
  const payer = await world.funded()
  const prepared = await prepareEach(transferFrom(payer), payer, ['low', 'high'])
  const signature = await sendByWallet(world, signed(prepared[0]!, payer))
  expect(await settledRecords(prepared)).toMatchObject([
    { status: 'confirmed', signature },
    { status: 'failed', signature: null, error: { code: 'outcome_unknown' } },
  ])
})

test('a prepared transaction is not confirmed by a submitted one with a lower fee', async () => {
  const payer = await world.funded()
  const prepared = await prepareEach(transferFrom(payer), payer, ['low', 'high'])
  await world.submit(prepared[0]!.id, signed(prepared[0]!, payer))
  expect(await settledRecords(prepared)).toMatchObject([
    { status: 'confirmed' },
    { status: 'failed', signature: null, error: { code: 'outcome_unknown' } },
  ])
})

test('of two versions that a wallet sent, the one that succeeded is reported', async () => {
  const owner = await world.funded()
  const [prepared] = await prepareEach(registration(owner), owner, ['high'])
  const signature = await sendByWallet(world, withPrice(prepared!, 9_000, owner))
  await sendByWallet(world, withPrice(prepared!, 9_500, owner))
  expect(await settledRecords([prepared!])).toMatchObject([{ status: 'confirmed', signature, error: null }])
})
