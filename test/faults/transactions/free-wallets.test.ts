import { sql } from 'kysely'
import type { Keypair } from '@solana/web3.js'
import { expect, test } from 'vitest'
import { json, restClient } from '../../support/transactions/sponsor-clients.ts'
import { update } from '../../support/transactions/parties.ts'
import { createHostileWorld, keyOf } from '../../support/transactions/hostile-world.ts'
import { signed } from '../../support/transactions/relay-world.ts'
import { perFile } from '../../support/lifetime.ts'

const ADDRESSES = ['203.0.113.1', '203.0.113.2', '203.0.113.3', '203.0.113.4']
/** The most that a transaction without a code can cost: two signatures and the priority fee. */
const MAX_COST = 25_000
const PER_CLIENT = 3

const world = perFile(() =>
  createHostileWorld({ slotMs: 200, limits: { dailyTransactionsPerClient: PER_CLIENT } }),
)

const prepare = (wallet: Keypair, address: string, version: string) =>
  restClient(world.t, { address }).prepareSponsored({
    instructions: json([update(wallet, { version })]),
    signerPubkeys: [keyOf(wallet)],
  })

async function spentLamports(): Promise<number> {
  const { rows } = await sql<{ spent: number }>`
    select coalesce(sum(coalesce(spent_lamports, reserved_lamports)), 0)::int as spent from sponsorships
    where kind = 'transaction'`.execute(world.t.kysely)
  return rows[0]?.spent ?? 0
}

test('wallets that paid for their own registration spend nothing of the budget', async () => {
  const agents = await Promise.all(ADDRESSES.map((address) => world.wallet(address)))
  const before = await world.balance()
  world.calls.length = 0
  const answers = await Promise.all(
    agents.flatMap(({ keypair }) => ADDRESSES.map((address) => prepare(keypair, address, '2'))),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]))
  expect(world.calls).not.toContain('simulateTransaction')
  expect([await spentLamports(), await world.balance()]).toEqual([0, before])
})

test('four addresses with sponsored wallets spend at most their daily limits', async () => {
  const wallets = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      world.sponsoredWallet(restClient(world.t, { address: `198.18.0.${i}` })),
    ),
  )
  const before = await world.balance()
  const statuses = await Promise.all(
    wallets.flatMap((wallet, i) =>
      ['3', '4'].map(async (version) => {
        const address = ADDRESSES[i % ADDRESSES.length] ?? ''
        const { status, body } = await prepare(wallet, address, version)
        if (status !== 200) return status
        const request = { id: body.id, signedTx: signed(body, wallet) }
        return (await restClient(world.t, { address }).submit(request)).status
      }),
    ),
  )
  const most = ADDRESSES.length * PER_CLIENT
  expect(statuses.filter((status) => status === 200)).toHaveLength(most)
  expect(statuses.filter((status) => status === 429)).toHaveLength(statuses.length - most)
  expect(before - (await world.balance())).toBeLessThanOrEqual(most * MAX_COST)
  // Another client is not affected.
  const [wallet] = wallets
  expect((await prepare(wallet!, '203.0.113.9', '5')).status).toBe(200)
})
