import { randomBytes } from 'node:crypto'
import type { Keypair } from '@solana/web3.js'
import { beforeAll, expect, test } from 'vitest'
import { signed, useRelayWorld } from '../../support/transactions/relay-world.ts'
import { transferFrom } from '../../support/transactions/wallet-sends.ts'

const EXPIRED = 200
const WALLETS = 64
const world = useRelayWorld({ transactions: { submitWaitMs: 0 } })
beforeAll(async () => {
  world.localnet.stepSlot(40)
})

/** Stores one expired transaction of each of many wallets. */
async function storeExpired(payer: Keypair) {
  const { id } = await world.prepare([transferFrom(payer)], [payer])
  const { kysely } = world.t
  const table = kysely.selectFrom('prepared_transactions').selectAll()
  const row = await table.where('id', '=', id).executeTakeFirstOrThrow()
  const rows = Array.from({ length: WALLETS }, () => {
    const message = Buffer.from(row.message, 'base64')
    randomBytes(32).copy(message, 5)
    return { ...row, id: crypto.randomUUID(), message: message.toString('base64') }
  })
  await kysely.insertInto('prepared_transactions').values(rows).execute()
}

test('a slow search for transactions of many wallets does not delay submitted transactions', async () => {
  const payer = await world.funded()
  await storeExpired(payer)
  const listings = () => world.calls.filter((method) => method === 'getSignaturesForAddress').length
  world.localnet.fault.http({ methods: ['getSignaturesForAddress'], delayMs: 500 })
  world.localnet.stepSlot(EXPIRED)
  await expect.poll(listings).toBeGreaterThan(0)
  const prepared = await world.prepare([transferFrom(payer)], [payer])
  await world.submit(prepared.id, signed(prepared, payer))
  await expect.poll(async () => (await world.status(prepared.id)).status).toBe('confirmed')
  expect(listings()).toBeLessThan(WALLETS)
  world.localnet.fault.clear()
})
