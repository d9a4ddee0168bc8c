import { Keypair } from '@solana/web3.js'
import { describe, expect, test } from 'vitest'
import { audit } from '../../../src/ledger/audit/audit.ts'
import { RELAY_TIMING } from '../../../src/transactions/limits.ts'
import { createTestDatabase } from '../../support/database.ts'
import { worldIndexer } from '../../support/ledger/indexer.ts'
import { programId, signed } from '../../support/transactions/relay-world.ts'
import { transferFrom } from '../../support/transactions/wallet-sends.ts'
import { createSponsorWorld } from '../../support/transactions/sponsor-world.ts'
import { perFile } from '../../support/lifetime.ts'

/**
 * Expired transactions are searched more often than in production, and again soon after a search
 * that was interrupted: the lease is shorter than `eventually` waits.
 */
const TIMING = { ...RELAY_TIMING, finalityPollMs: 400, leaseMs: 5_000 }

const LEDGERS = [
  { slotMs: 300, finalizedDepth: 32 },
  { slotMs: 1_000, finalizedDepth: 32 },
  // Confirmed is finalized, as with Alpenglow.
  { slotMs: 300, finalizedDepth: 1 },
]

describe.each(LEDGERS)(
  'slots of $slotMs ms, finalized after $finalizedDepth',
  ({ slotMs, finalizedDepth }) => {
    const world = perFile(() => createSponsorWorld(undefined, { slotMs, finalizedDepth, timing: TIMING }))
    const database = perFile(createTestDatabase)
    const indexer = perFile(() => worldIndexer(world, database.orm, { verifyMs: 100 }))
    const payer = perFile(() => world.funded())

    const height = () => world.connection.getBlockHeight('confirmed')
    const prepare = () => world.prepare([transferFrom(payer)], [payer])

    test('a submit is confirmed, and settled as soon as the ledger has finalized it', async () => {
      const prepared = await prepare()
      const { body } = await world.submit(prepared.id, signed(prepared, payer))
      expect(body).toMatchObject({ status: 'confirmed', error: null })
      // Otherwise it is finalized by the slots that pass.
      if (finalizedDepth > 1) world.localnet.stepSlot(finalizedDepth)
      await expect.poll(() => world.settled(prepared.id)).toBe(true)
      expect((await world.status(prepared.id)).status).toBe('confirmed')
    })

    test('a sponsored registration costs rent and fee, and is indexed as final', async () => {
      const owner = Keypair.generate()
      const code = await world.code()
      const before = await world.balance()
      const { body } = await world.register({ owner, inviteCode: code })
      expect((await world.submitRegistration(body, owner, code)).body.status).toBe('confirmed')
      world.localnet.stepSlot(finalizedDepth)
      await expect
        .poll(async () => (await world.sponsorships(owner))[0]?.spent_lamports ?? null)
        .toBe(before - (await world.balance()))
      await indexer.whenIdle()
      const kysely = database.orm.em.fork().getKysely()
      await expect
        .poll(async () =>
          (await kysely.selectFrom('ledger_events').select('finality').execute()).map(
            ({ finality }) => finality,
          ),
        )
        .toEqual(['finalized'])
      const { differences, unreadable } = await audit({ orm: database.orm, rpc: world.rpc, programId })
      expect({ differences, unreadable }).toEqual({ differences: [], unreadable: [] })
    })

    test('a preparation can be submitted until its last block, whatever the time, and not after it', async () => {
      const [late, expired] = [await prepare(), await prepare()]
      const blocks = late.lastValidBlockHeight - (await height())
      // Some slots may pass by themselves until the submit.
      world.localnet.stepSlot(blocks - 15)
      expect((await world.submit(late.id, signed(late, payer))).body).toMatchObject({ status: 'confirmed' })
      // Its blockhash can be newer than that of the other one, which can come from a cache.
      world.localnet.stepSlot(expired.lastValidBlockHeight - (await height()) + 1 + finalizedDepth)
      await expect.poll(async () => (await world.status(expired.id)).error?.code).toBe('blockhash_expired')
      const { status, body } = await world.submit(expired.id, signed(expired, payer))
      expect([status, body.error]).toEqual([410, 'Transaction expired'])
      expect((await world.status(late.id)).status).toBe('confirmed')
    })
  },
)
