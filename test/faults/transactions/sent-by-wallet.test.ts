import { type Keypair, SystemProgram } from '@solana/web3.js'
import { sql } from 'kysely'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { MAX_TRANSACTION_VERSION } from '@agent-registry/solana'
import { systemClock } from '../../../src/platform/clock.ts'
import { createFailoverRpc } from '../../../src/ledger/failover/failover-rpc.ts'
import { SEARCH_LIMITS } from '../../../src/transactions/limits.ts'
import { startScriptedNode } from '../../support/ledger/scripted-nodes.ts'
import {
  createRelayWorld,
  type Prepared,
  registration,
  signed,
} from '../../support/transactions/relay-world.ts'
import { sendByWallet, transferFrom, withPrice } from '../../support/transactions/wallet-sends.ts'
import { perFile } from '../../support/lifetime.ts'

const EXPIRED = 200
const world = perFile(() => createRelayWorld({ transactions: { submitWaitMs: 300 } }))
let payer: Keypair
beforeAll(async () => {
  payer = await world.funded()
  world.localnet.stepSlot(40)
})
afterEach(() => world.localnet.fault.clear())

const transfer = (from = payer) => transferFrom(from)
const becomes = (id: string, status: string) =>
  expect.poll(async () => (await world.status(id)).status).toBe(status)

/** The version of a wallet with its own priority fee. */
const withLowerPrice = (prepared: Prepared) => withPrice(prepared, prepared.priorityFee - 1, payer)

describe('a transaction that the wallet sends itself', () => {
  test('is confirmed after its expiry, with its signature and slot, and a submit returns the same', async () => {
    const prepared = await world.prepare([transfer()], [payer])
    const signature = await sendByWallet(world, signed(prepared, payer))
    const other = await world.prepare([transfer()], [payer])
    world.localnet.stepSlot(EXPIRED)
    await becomes(prepared.id, 'confirmed')
    const record = await world.status(prepared.id)
    expect(record).toMatchObject({ signature, error: null, slot: expect.any(Number) as number })
    await expect.poll(() => world.settled(prepared.id)).toBe(true)
    expect((await world.submit(prepared.id, signed(prepared, payer))).body).toEqual(record)
    await becomes(other.id, 'failed')
    expect((await world.status(other.id)).error?.code).toBe('blockhash_expired')
  })

  test('is failed with execution_failed if it failed on the ledger', async () => {
    const owner = await world.funded()
    const prepared = await world.prepare([registration(owner, 'Late')], [owner])
    await world.transact([registration(owner, 'Early')], [owner])
    const signature = await sendByWallet(world, signed(prepared, owner))
    world.localnet.stepSlot(EXPIRED)
    await becomes(prepared.id, 'failed')
    expect(await world.status(prepared.id)).toMatchObject({ signature, error: { code: 'execution_failed' } })
  })

  test('is confirmed if the version submitted here did not land and the one of the wallet did', async () => {
    const prepared = await world.prepare([transfer()], [payer])
    const signature = await sendByWallet(world, withLowerPrice(prepared))
    world.localnet.fault.http({ methods: ['sendTransaction'], status: 503 })
    expect((await world.submit(prepared.id, signed(prepared, payer))).body.status).toBe('submitted')
    world.localnet.stepSlot(EXPIRED)
    await becomes(prepared.id, 'confirmed')
    expect(await world.status(prepared.id)).toMatchObject({ signature })
  })
})

describe('a fork', () => {
  test('that removes the transaction for ever makes it expired', async () => {
    const prepared = await world.prepare([transfer()], [payer])
    world.localnet.stepSlot(20)
    await sendByWallet(world, signed(prepared, payer))
    world.localnet.fault.fork({ slots: 15 })
    world.localnet.stepSlot(EXPIRED)
    await becomes(prepared.id, 'failed')
    expect(await world.status(prepared.id)).toMatchObject({
      signature: null,
      error: { code: 'blockhash_expired' },
    })
  })

  test('that moves the transaction changes its slot', async () => {
    const prepared = await world.prepare([transfer()], [payer])
    world.localnet.stepSlot(20)
    const signature = await sendByWallet(world, signed(prepared, payer))
    world.localnet.fault.fork({ slots: 15, reland: true })
    world.localnet.stepSlot(EXPIRED)
    await becomes(prepared.id, 'confirmed')
    const landed = await world.connection.getTransaction(signature, {
      maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION,
    })
    expect(await world.status(prepared.id)).toMatchObject({ signature, slot: landed?.slot })
  })
})

describe('hostile clients', () => {
  /** Waits until no transaction is open, so that the calls of a test are its own. */
  const nothingOpenBut = (id: string) =>
    expect
      .poll(async () => {
        const { rows } = await sql`
          select id from prepared_transactions where not settled and id <> ${id}`.execute(world.t.kysely)
        return rows.length
      })
      .toBe(0)
  const nothingOpen = () => nothingOpenBut('')

  test('300 prepared transactions of one fee payer need few listings and do not delay others', async () => {
    const other = await world.funded()
    world.localnet.stepSlot(EXPIRED)
    await nothingOpen()
    const many = await world.prepare([transfer()], [payer])
    await sql`
      insert into prepared_transactions (id, status, message, last_valid_block_height, blockhash_slot,
        next_check_at, created_at)
      select gen_random_uuid()::text, status, message, last_valid_block_height, blockhash_slot,
        next_check_at - interval '1 minute', created_at
      from prepared_transactions, generate_series(2, 300) where id = ${many.id}`.execute(world.t.kysely)
    const prepared = await world.prepare([transfer(other)], [other])
    const signature = await sendByWallet(world, signed(prepared, other))
    world.calls.length = 0
    world.localnet.stepSlot(EXPIRED)
    await becomes(prepared.id, 'confirmed')
    expect(await world.status(prepared.id)).toMatchObject({ signature })
    await nothingOpen()
    const listings = world.calls.filter((method) => method === 'getSignaturesForAddress').length
    expect(listings).toBeLessThanOrEqual(Math.ceil(300 / SEARCH_LIMITS.rowsPerPayer) + 2)
  })

  test('a transaction that names a busy wallet of somebody else costs few calls of the node', async () => {
    const busy = await world.funded()
    const abandoned = await world.prepare([transfer(busy)], [busy])
    for (let i = 0; i < 40; i += 1) await world.transact([transfer(busy)], [busy])
    await nothingOpenBut(abandoned.id)
    world.calls.length = 0
    world.localnet.stepSlot(EXPIRED)
    await becomes(abandoned.id, 'failed')
    const searched = world.calls.filter((method) => /^get(SignaturesForAddress|Transaction)$/.test(method))
    expect(searched.length).toBeLessThanOrEqual(12)
  })

  test('a payment that the wallet changed is not hidden by transfers to its payer after it landed', async () => {
    const victim = await world.funded()
    const prepared = await world.prepare([transfer(victim)], [victim])
    const signature = await sendByWallet(world, withPrice(prepared, prepared.priorityFee - 1, victim))
    for (let i = 0; i <= SEARCH_LIMITS.fetches; i += 1)
      await world.transact(
        [
          SystemProgram.transfer({
            fromPubkey: payer.publicKey,
            toPubkey: victim.publicKey,
            lamports: i + 1,
          }),
        ],
        [payer],
      )
    world.localnet.stepSlot(EXPIRED)
    await becomes(prepared.id, 'confirmed')
    expect(await world.status(prepared.id)).toMatchObject({ signature })
  })

  test('among more transactions than are fetched, the exact one is found and others are unknown', async () => {
    const busy = await world.funded()
    const abandoned = await world.prepare([transfer(busy)], [busy])
    const prepared = await world.prepare([transfer(busy)], [busy])
    const signature = await sendByWallet(world, signed(prepared, busy))
    for (let i = 0; i <= SEARCH_LIMITS.fetches; i += 1) await world.transact([transfer(busy)], [busy])
    world.localnet.stepSlot(EXPIRED)
    await becomes(prepared.id, 'confirmed')
    expect(await world.status(prepared.id)).toMatchObject({ signature })
    await becomes(abandoned.id, 'failed')
    expect((await world.status(abandoned.id)).error).toMatchObject({
      code: 'outcome_unknown',
      message: expect.stringContaining('could not be determined') as string,
    })
  })
})

describe('the nodes', () => {
  test('while the one that has the transaction is silent, the status stays open', async () => {
    // A stopped tracker cannot be started again, so this test is the last one.
    await world.t.transactions.tracker.stop()
    const nodes = await Promise.all([startScriptedNode(), startScriptedNode()])
    const [short, whole] = nodes
    const forward = async (method: string, params: unknown[]) => ({
      result: await world.rpc.call<unknown>(method, params),
    })
    let isSilent = true
    short.replyTo = async (method, params) => {
      if (method === 'getSignaturesForAddress') return { result: [] }
      if (method === 'getTransaction') return { result: null }
      if (method === 'getSignatureStatuses') return { result: { context: { slot: 1e9 }, value: [null] } }
      return forward(method, params)
    }
    whole.replyTo = async (method, params) => (isSilent ? { status: 503 } : forward(method, params))
    const rpc = createFailoverRpc({
      urls: [short.url, whole.url],
      clock: systemClock,
      logger: { warn: () => undefined, error: () => undefined },
    })
    const prepared = await world.prepare([transfer()], [payer])
    const signature = await sendByWallet(world, signed(prepared, payer))
    world.localnet.stepSlot(EXPIRED)
    const { tracker } = world.replica({ rpc })
    tracker.start()
    try {
      await expect
        .poll(() => short.calls.filter((each) => each === 'getSignaturesForAddress').length)
        .toBeGreaterThan(3)
      expect((await world.status(prepared.id)).status).toBe('simulated')
      isSilent = false
      await becomes(prepared.id, 'confirmed')
      expect(await world.status(prepared.id)).toMatchObject({ signature })
    } finally {
      await tracker.stop()
      await Promise.all(nodes.map((node) => node.close()))
    }
  })
})
