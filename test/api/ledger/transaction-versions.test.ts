import { Transaction, type TransactionInstruction } from '@solana/web3.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAX_TRANSACTION_VERSION } from '@agent-registry/solana'
import { v1Transaction } from '@agent-registry/localnet/testing/v1'
import { audit } from '../../../src/ledger/audit/audit.ts'
import type { Indexer } from '../../../src/ledger/indexer/indexer.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import {
  type AgentWallet,
  createRegistryWorld,
  programId,
  type RegistryWorld,
} from '../../support/ledger/registry-world.ts'
import { kyselyOf } from '../../support/ledger/tables.ts'
import { worldIndexer } from '../../support/ledger/world-indexer.ts'

let world: RegistryWorld
let database: TestDatabase
let indexer: Indexer

beforeAll(async () => {
  world = await createRegistryWorld()
  database = await createTestDatabase()
})
afterAll(async () => {
  await indexer.stop()
  await world.close()
  await database.drop()
})

type Send = (
  instructions: TransactionInstruction[],
  wallet: AgentWallet,
  blockhash: string,
) => Promise<Uint8Array>

const SENDERS: Record<string, Send> = {
  legacy: async (instructions, { keypair }, blockhash) => {
    const transaction = new Transaction({ feePayer: keypair.publicKey, blockhash, lastValidBlockHeight: 0 })
    transaction.add(...instructions).sign(keypair)
    return transaction.serialize()
  },
  1: (instructions, { keypair }, blockhash) => v1Transaction(instructions, { blockhash, signers: [keypair] }),
}

/** The version that the ledger returns. */
async function send(
  version: string,
  instructions: TransactionInstruction[],
  wallet: AgentWallet,
): Promise<unknown> {
  const { connection, localnet } = world
  const { blockhash } = await connection.getLatestBlockhash()
  const signature = await connection.sendRawTransaction(
    await SENDERS[version]!(instructions, wallet, blockhash),
  )
  localnet.stepSlot()
  const shown = await connection.getTransaction(signature, {
    maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION,
  })
  expect(shown?.meta?.err).toBeNull()
  return shown?.version
}

test('a ledger with legacy transactions and those of versions 0 and 1 is indexed without differences', async () => {
  // Its registrations and deposits have version 0.
  const wallets = [
    await world.wallet('First'),
    await world.wallet('Second'),
    await world.wallet('Third'),
  ] as const
  const own = (wallet: AgentWallet, name: string, args = {}) =>
    wallet.instruction(name, { authority: wallet.owner }, args)
  const live = async (): Promise<void> => {
    for (const [i, wallet] of wallets.entries()) {
      const version = i % 2 === 0 ? '1' : 'legacy'
      expect(String(await send(version, [own(wallet, 'suspend_agent')], wallet))).toBe(version)
      await wallet.send('reactivate_agent', { authority: wallet.owner })
      await send('1', [own(wallet, 'suspend_agent'), own(wallet, 'reactivate_agent')], wallet)
    }
  }
  await live()
  indexer = worldIndexer(world, database.orm)
  await live()
  await indexer.whenIdle()
  const kysely = kyselyOf(database.orm)
  const events = await kysely.selectFrom('ledger_events').select('name').execute()
  expect(events.filter(({ name }) => name === 'AgentSuspended')).toHaveLength(12)
  expect(await kysely.selectFrom('dead_letters').selectAll().execute()).toEqual([])
  const { differences, unreadable } = await audit({ orm: database.orm, rpc: world.rpc, programId })
  expect({ differences, unreadable }).toEqual({ differences: [], unreadable: [] })
})
