import { Keypair, SystemProgram } from '@solana/web3.js'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createLedgerRpc, type LedgerRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../../../src/ledger/rpc/rpc-error.ts'
import {
  createRelayWorld,
  type Prepared,
  FAST_TIMING,
  signed,
} from '../../support/transactions/relay-world.ts'
import { scaled } from '../../support/machine-speed.ts'
import { perFile } from '../../support/lifetime.ts'

const world = perFile(() => createRelayWorld({ slotMs: 400, transactions: { submitWaitMs: 300 } }))
let payer: Keypair
beforeAll(async () => {
  payer = await world.funded()
  world.localnet.stepSlot(40)
})
afterEach(() => world.localnet.fault.clear())

let receiver: Keypair
let prepared: Prepared
let signedTx: string
/** A transfer of 0.001 SOL to a new wallet, whose balance shows how often it landed. */
async function prepareTransfer(): Promise<void> {
  receiver = Keypair.generate()
  const [fromPubkey, toPubkey] = [payer.publicKey, receiver.publicKey]
  const transfer = SystemProgram.transfer({ fromPubkey, toPubkey, lamports: 1_000_000 })
  prepared = await world.prepare([transfer], [payer])
  signedTx = signed(prepared, payer)
}
const received = () => world.connection.getBalance(receiver.publicKey, 'confirmed')
const statusNow = async () => (await world.status(prepared.id)).status
const becomes = (status: string) => expect.poll(statusNow).toBe(status)
const landed = async (): Promise<number> => {
  await becomes('confirmed')
  return received()
}
const movesAfter = (slot: number | null) =>
  expect.poll(async () => (await world.status(prepared.id)).slot ?? 0).toBeGreaterThan(slot ?? Infinity)
const submit = async () => (await world.submit(prepared.id, signedTx)).body.status
const service = (rpc: LedgerRpc, leaseMs = 100) =>
  world.replica({ rpc, submitWaitMs: 0, timing: { ...FAST_TIMING, leaseMs } })

/** How the faulty node responds to sendTransaction. */
function faultySend(sendTransaction: (forward: () => Promise<unknown>) => Promise<unknown>): LedgerRpc {
  return {
    ...world.rpc,
    call: <T>(method: string, params?: unknown[]) => {
      const forward = () => world.rpc.call<T>(method, params)
      return method === 'sendTransaction' ? (sendTransaction(forward) as Promise<T>) : forward()
    },
  }
}
const CLIENT = '192.0.2.1'
const forever = () => new Promise<never>(() => undefined)

describe('the node does not accept the transaction at first', () => {
  test.each([
    ['429', { status: 429, retryAfter: 1 }],
    ['503', { status: 503 }],
  ])('%s', async (_, kind) => {
    await prepareTransfer()
    world.localnet.fault.http({ methods: ['sendTransaction'], count: 2, ...kind })
    await submit()
    expect(await landed()).toBe(1_000_000)
  })

  test('after a timeout before it was accepted, it is accepted later', async () => {
    await prepareTransfer()
    world.localnet.fault.http({ methods: ['sendTransaction'], count: 1, delayMs: scaled(1_500) })
    const impatient = createLedgerRpc({ url: world.localnet.rpcUrl, timeoutMs: 100 })
    expect(await service(impatient).submit({ id: prepared.id, signedTx }, CLIENT)).toMatchObject({
      status: 'submitted',
      error: null,
    })
    expect(await landed()).toBe(1_000_000)
  })

  test('after a timeout it was accepted nevertheless', async () => {
    await prepareTransfer()
    const deaf = faultySend(async (forward) => {
      await forward()
      throw new LedgerRpcError('timeout', 'the ledger node did not answer in time')
    })
    expect((await service(deaf).submit({ id: prepared.id, signedTx }, CLIENT)).status).toBe('submitted')
    expect(await landed()).toBe(1_000_000)
  })

  test('the node is down at the submit and returns', async () => {
    await prepareTransfer()
    world.localnet.fault.http({ status: 503 })
    expect(await submit()).toBe('submitted')
    expect(await submit()).toBe('submitted')
    world.localnet.fault.clear()
    expect(await landed()).toBe(1_000_000)
  })

  test('the node accepts nothing until the blockhash has expired', async () => {
    await prepareTransfer()
    world.localnet.fault.http({ methods: ['sendTransaction'], status: 503 })
    expect(await submit()).toBe('submitted')
    world.localnet.stepSlot(200)
    await becomes('failed')
    expect((await world.status(prepared.id)).error?.code).toBe('blockhash_expired')
    await expect.poll(() => world.settled(prepared.id)).toBe(true)
    expect(await submit()).toBe('failed')
    expect(await received()).toBe(0)
  })

  test('the node lags behind the node that returned the blockhash', async () => {
    await prepareTransfer()
    world.localnet.fault.lag(30)
    expect(await submit()).toBe('submitted')
    world.localnet.fault.clear()
    expect(await landed()).toBe(1_000_000)
  })
})

describe('the node does not return the transaction', () => {
  test('it stays submitted for a while, and is confirmed when the node returns it', async () => {
    await prepareTransfer()
    world.localnet.fault.hideSignatures({})
    expect(await submit()).toBe('submitted')
    world.localnet.stepSlot(60)
    expect(await statusNow()).toBe('submitted')
    world.localnet.fault.clear()
    expect(await landed()).toBe(1_000_000)
  })

  test('its status does not change while the node does not respond, even after the expiry', async () => {
    await prepareTransfer()
    world.localnet.fault.http({ methods: ['getSignatureStatuses'], status: 503 })
    expect(await submit()).toBe('submitted')
    world.localnet.stepSlot(400)
    expect(await submit()).toBe('submitted')
    world.localnet.fault.clear()
    await becomes('confirmed')
    await expect.poll(() => world.settled(prepared.id)).toBe(true)
  })
})

describe('a fork', () => {
  test('removes a confirmed transaction, which is sent again and lands again', async () => {
    await prepareTransfer()
    world.localnet.stepSlot(33)
    await submit()
    await becomes('confirmed')
    const { slot } = await world.status(prepared.id)
    world.localnet.fault.fork()
    await movesAfter(slot)
    expect(await landed()).toBe(1_000_000)
    world.localnet.stepSlot(33)
    await expect.poll(() => world.settled(prepared.id)).toBe(true)
  })

  test('removes its blockhash too, and it is dropped', async () => {
    world.localnet.stepSlot(40)
    const head = async () => {
      await prepareTransfer()
      const { value } = await world.connection.isBlockhashValid(prepared.blockhash, {
        commitment: 'finalized',
      })
      return value
    }
    await expect.poll(head).toBe(false)
    await submit()
    await becomes('confirmed')
    world.localnet.fault.fork()
    await becomes('submitted')
    expect(await world.status(prepared.id)).toMatchObject({ slot: null, error: null })
    world.localnet.stepSlot(250)
    await becomes('failed')
    expect((await world.status(prepared.id)).error?.code).toBe('dropped')
    await expect.poll(() => world.settled(prepared.id)).toBe(true)
    expect(await received()).toBe(0)
  })

  test('moves the transaction to another slot', async () => {
    await prepareTransfer()
    world.localnet.stepSlot(20)
    await submit()
    await becomes('confirmed')
    const { slot } = await world.status(prepared.id)
    world.localnet.fault.fork({ slots: 15, reland: true })
    await movesAfter(slot)
    expect(await landed()).toBe(1_000_000)
  })
})

describe('the process dies', () => {
  test('after it stored and before it sent, and another process sends it', async () => {
    await prepareTransfer()
    void service(faultySend(forever)).submit({ id: prepared.id, signedTx }, CLIENT)
    expect(await landed()).toBe(1_000_000)
  })

  test('after it sent and before it stored the outcome, and another process tracks it', async () => {
    await prepareTransfer()
    const dying = faultySend(async (forward) => {
      await forward()
      return forever()
    })
    void service(dying).submit({ id: prepared.id, signedTx }, CLIENT)
    expect(await landed()).toBe(1_000_000)
  })

  test('while it has the lease, and another process continues when the lease has expired', async () => {
    await prepareTransfer()
    await world.t.transactions.tracker.stop()
    await service(faultySend(async () => 'sent, it says')).submit({ id: prepared.id, signedTx }, CLIENT)
    const other = world.replica()
    other.tracker.start()
    try {
      expect(await landed()).toBe(1_000_000)
    } finally {
      await other.tracker.stop()
    }
  })
})
