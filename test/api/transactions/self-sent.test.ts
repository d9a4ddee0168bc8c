import { ComputeBudgetProgram, type Keypair, PublicKey, TransactionInstruction } from '@solana/web3.js'
import { LIGHTHOUSE_PROGRAM } from '@agent-registry/solana'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Transactions } from '../../../src/transactions/transactions.ts'
import { worldIndexer } from '../../support/ledger/indexer.ts'
import { perFile } from '../../support/lifetime.ts'
import { HOSTILE_LIGHTHOUSE } from '../../support/transactions/hostile-world.ts'
import {
  keyOf,
  type Prepared,
  registration,
  signed,
  toJson,
  useRelayWorld,
} from '../../support/transactions/relay-world.ts'
import { sendByWallet, transferFrom, version, withPrice } from '../../support/transactions/wallet-sends.ts'

// Slots are slow, so that no transaction expires in these tests.
const world = useRelayWorld({
  slotMs: 400,
  tablesFilled: false,
  programs: [HOSTILE_LIGHTHOUSE],
  transactions: { submitWaitMs: 300 },
})
/** The transactions of the process of the indexer. Its tracker is not started. */
let other: Transactions
const indexer = perFile(() => worldIndexer(world, world.t.database.orm))
beforeAll(async () => {
  other = world.replica()
  indexer.onTransaction(other.selfSent.see)
  world.localnet.stepSlot(40)
  await indexer.whenIdle()
})
afterAll(() => other.selfSent.stop())

const assertion = new TransactionInstruction({
  programId: new PublicKey(LIGHTHOUSE_PROGRAM),
  keys: [],
  data: Buffer.from([5, 0, 0]),
})

/** Waits until the indexer has read the ledger, and what it saw is compared. */
async function indexed(): Promise<void> {
  await indexer.whenIdle()
  await other.selfSent.idle()
}

async function send(transaction: string): Promise<string> {
  const signature = await sendByWallet(world, transaction)
  world.localnet.stepSlot(2)
  await indexed()
  return signature
}

const register = async (): Promise<[Prepared, Keypair]> => {
  const owner = await world.funded()
  return [await world.prepare([registration(owner)], [owner]), owner]
}

test('a transaction that the wallet sends itself is confirmed as soon as the indexer has read it', async () => {
  const [prepared, owner] = await register()
  expect(await world.status(prepared.id)).toMatchObject({ status: 'simulated', signature: null })
  const signature = await send(signed(prepared, owner))
  const record = await world.status(prepared.id)
  const landed = await world.connection.getTransaction(signature, { maxSupportedTransactionVersion: 1 })
  expect(record).toEqual({ id: prepared.id, status: 'confirmed', signature, error: null, slot: landed!.slot })
  expect(await world.connection.getBlockHeight()).toBeLessThan(prepared.lastValidBlockHeight)

  expect((await world.submit(prepared.id, signed(prepared, owner))).body).toEqual(record)
  expect((await world.submit(prepared.id, withPrice(prepared, 0, owner))).status).toBe(400)
  world.localnet.stepSlot(40)
  await expect.poll(() => world.settled(prepared.id)).toBe(true)
  expect(await world.status(prepared.id)).toEqual(record)
})

test.each<[string, (prepared: Prepared, owner: Keypair) => string]>([
  [
    'assertions of Lighthouse',
    (prepared, owner) =>
      version(prepared, owner, ([limit, price, ...rest]) => [limit!, assertion, price!, assertion, ...rest]),
  ],
  ['a lower price', (prepared, owner) => withPrice(prepared, prepared.priorityFee - 1, owner)],
  [
    'a lower limit and an assertion',
    (prepared, owner) =>
      version(prepared, owner, ([, ...rest]) => [
        ComputeBudgetProgram.setComputeUnitLimit({ units: prepared.estimatedComputeUnits - 1 }),
        ...rest,
        assertion,
      ]),
  ],
])('a version with %s is the prepared transaction', async (_, change) => {
  const [prepared, owner] = await register()
  const signature = await send(change(prepared, owner))
  expect(await world.status(prepared.id)).toMatchObject({ status: 'confirmed', signature })
})

test('one that failed on the ledger is failed, with the reason and the logs', async () => {
  const [prepared, owner] = await register()
  await world.transact([registration(owner, 'Earlier')], [owner])
  const signature = await send(signed(prepared, owner))
  expect(await world.status(prepared.id)).toEqual({
    id: prepared.id,
    status: 'failed',
    signature,
    slot: expect.any(Number),
    error: {
      code: 'execution_failed',
      message: 'Instruction 0: AlreadyInitialized: The account exists already.',
      logs: expect.arrayContaining([expect.stringContaining('AlreadyInitialized')]),
    },
  })
})

test('of two versions that landed, the one that succeeded counts', async () => {
  const [prepared, owner] = await register()
  const tooFew = version(prepared, owner, (all) =>
    all.with(0, ComputeBudgetProgram.setComputeUnitLimit({ units: 1_000 })),
  )
  await send(tooFew)
  expect(await world.status(prepared.id)).toMatchObject({ status: 'failed' })
  const signature = await send(signed(prepared, owner))
  expect(await world.status(prepared.id)).toMatchObject({ status: 'confirmed', signature, error: null })
})

test('a stream of the status yields the confirmation', async () => {
  const [prepared, owner] = await register()
  const abort = new AbortController()
  const stream = (await world.t.transactions.watch(prepared.id))(abort.signal)
  expect((await stream.next()).value).toMatchObject({ status: 'simulated' })
  const next = stream.next()
  const signature = await send(signed(prepared, owner))
  expect((await next).value).toMatchObject({ status: 'confirmed', signature, settled: false })
  abort.abort()
  await stream.return()
})

test('after a fork removed it, it is sent again', async () => {
  const [prepared, owner] = await register()
  world.localnet.stepSlot(10)
  const signature = await send(signed(prepared, owner))
  const { slot } = await world.status(prepared.id)
  world.calls.length = 0
  // Slots have passed since then, many on a busy machine.
  world.localnet.fault.fork({ slots: (await world.connection.getSlot('processed')) - slot! + 4 })
  await expect.poll(() => world.calls.includes('sendTransaction')).toBe(true)
  await expect.poll(async () => (await world.status(prepared.id)).status).toBe('confirmed')
  expect(await world.status(prepared.id)).toMatchObject({ signature, error: null })
  expect((await world.connection.getSignatureStatus(signature)).value?.err).toBeNull()
})

describe('hostile clients', () => {
  /** Anybody can prepare the same instructions. All have one blockhash. */
  async function prepareEach(owner: Keypair, levels: readonly string[]): Promise<Prepared[]> {
    const input = { instructions: [toJson(registration(owner))], signerPubkeys: [keyOf(owner)] }
    const responses = await Promise.all(
      levels.map((priorityLevel) => world.post<Prepared>('/relay/prepare', { ...input, priorityLevel })),
    )
    const prepared = responses.map(({ body }) => body)
    return new Set(prepared.map((each) => each.blockhash)).size === 1 ? prepared : prepareEach(owner, levels)
  }
  const statuses = (prepared: readonly Prepared[]) =>
    Promise.all(prepared.map(async ({ id }) => (await world.status(id)).status))
  const open = 'simulated'
  const done = 'confirmed'

  test.each<[string, (prepared: Prepared, owner: Keypair) => string]>([
    ['exactly', signed],
    ['with an assertion', (prepared, owner) => version(prepared, owner, (all) => [...all, assertion])],
  ])('only records with the message of the wallet are confirmed: sent %s', async (_, change) => {
    const owner = await world.funded()
    const prepared = await prepareEach(owner, ['high', 'medium', 'medium', 'low'])
    await send(change(prepared[1]!, owner))
    expect(await statuses(prepared)).toEqual([open, done, done, open])
  })

  test('nothing is confirmed if a lower fee can be that of several prepared transactions', async () => {
    const owner = await world.funded()
    const prepared = await prepareEach(owner, ['high', 'medium'])
    await send(withPrice(prepared[1]!, 1, owner))
    expect(await statuses(prepared)).toEqual([open, open])
  })

  test('a submitted transaction does not confirm what others prepared', async () => {
    const owner = await world.funded()
    const prepared = await prepareEach(owner, ['high', 'medium'])
    const submitted = world.submit(prepared[1]!.id, withPrice(prepared[1]!, 1, owner))
    await expect
      .poll(async () => {
        world.localnet.stepSlot()
        return (await world.status(prepared[1]!.id)).status
      })
      .toBe(done)
    await submitted
    await indexed()
    expect(await statuses(prepared)).toEqual([open, done])
  })

  test('who submits the version of another wallet to a record of its own does not take its outcome', async () => {
    const owner = await world.funded()
    const [own, foreign] = await prepareEach(owner, ['medium', 'high'])
    const sent = version(own!, owner, (all) => [...all, assertion])
    await world.submit(foreign!.id, sent)
    await send(sent)
    expect(await statuses([own!])).toEqual([done])
  })

  test('failed transactions of strangers are read only while a transaction is open, and 20 at once', async () => {
    const { selfSent } = world.replica()
    const see = (count: number) => {
      for (let i = 0; i < count; i += 1) selfSent.see({ signature: `stranger ${i}`, transaction: null })
      return selfSent.idle()
    }
    const reads = () => world.calls.filter((method) => method === 'getTransaction').length
    await register()
    const before = reads()
    await see(500)
    expect(reads() - before).toBeLessThanOrEqual(40)
    await world.t.kysely.updateTable('prepared_transactions').set({ settled: true }).execute()
    const after = reads()
    await see(500)
    expect(reads()).toBe(after)
  })
})

test('a transaction without the registry stays open until it expires, as the indexer does not see it', async () => {
  const payer = await world.funded()
  const prepared = await world.prepare([transferFrom(payer)], [payer])
  await send(signed(prepared, payer))
  expect(await world.status(prepared.id)).toMatchObject({ status: 'simulated' })
})
