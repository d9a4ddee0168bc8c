import { Keypair } from '@solana/web3.js'
import { expect, test } from 'vitest'
import { untilConfirmed } from '../../../src/compose/localnet/transaction-sender.ts'
import { createRegistryWorld } from '../../support/ledger/registry-world.ts'
import { perFile } from '../../support/lifetime.ts'

const world = perFile(() => createRegistryWorld())

test('a transaction is confirmed although many slots ended since, as while thousands of agents are seeded', async () => {
  const signature = await world.connection.requestAirdrop(Keypair.generate().publicKey, 1_000_000)
  world.localnet.stepSlot(400)
  let reads = 0
  const count = async (): Promise<void> => {
    if ((reads += 1) > 3) throw new Error('not confirmed')
  }
  await untilConfirmed(world.connection, [signature], count)
  expect(reads).toBe(1)
})
