import {
  AddressLookupTableProgram,
  ComputeBudgetProgram,
  PublicKey,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { audit } from '../../../src/ledger/audit/audit.ts'
import type { Indexer } from '../../../src/ledger/indexer/indexer.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { hostile, hostileProgram } from '../../support/ledger/hostile-program.ts'
import { worldIndexer } from '../../support/ledger/world-indexer.ts'
import {
  addresses,
  type AgentWallet,
  createRegistryWorld,
  programId,
  type RegistryWorld,
} from '../../support/ledger/registry-world.ts'
import { kyselyOf } from '../../support/ledger/tables.ts'

let world: RegistryWorld
let database: TestDatabase
let indexer: Indexer
let wallet: AgentWallet

beforeAll(async () => {
  world = await createRegistryWorld({ programs: [hostileProgram] })
  database = await createTestDatabase()
  indexer = worldIndexer(world, database.orm)
  wallet = await world.wallet('Honest')
})
afterAll(async () => {
  await indexer.stop()
  await world.close()
  await database.drop()
})

/** Sends a transaction of version 0 whose registry accounts are all in a lookup table. */
async function sendWithTable(instructions: TransactionInstruction[]): Promise<unknown> {
  const { connection, localnet } = world
  const payer = wallet.keypair.publicKey
  const [create, lookupTable] = AddressLookupTableProgram.createLookupTable({
    authority: payer,
    payer,
    recentSlot: await connection.getSlot('confirmed'),
  })
  const loaded = [wallet.agent, programId, addresses.eventAuthority(), addresses.config()]
  const extend = AddressLookupTableProgram.extendLookupTable({
    payer,
    authority: payer,
    lookupTable,
    addresses: loaded.map((key) => new PublicKey(key)),
  })
  await world.transact([create, extend], [wallet.keypair])
  localnet.stepSlot()
  const { value: table } = await connection.getAddressLookupTable(lookupTable)
  const { blockhash: recentBlockhash } = await connection.getLatestBlockhash()
  const message = new TransactionMessage({ payerKey: payer, recentBlockhash, instructions })
  const transaction = new VersionedTransaction(message.compileToV0Message([table!]))
  for (const key of loaded)
    expect(transaction.message.staticAccountKeys.map(String)).not.toContain(String(key))
  transaction.sign([wallet.keypair])
  const signature = await connection.sendTransaction(transaction, { skipPreflight: true })
  localnet.stepSlot()
  await indexer.whenIdle()
  return (await connection.getSignatureStatus(signature)).value?.err
}

const own = (name: string) => wallet.instruction(name, { authority: wallet.owner })
const events = async (): Promise<string[]> =>
  (await kyselyOf(database.orm).selectFrom('ledger_events').select('name').orderBy('position').execute()).map(
    (row) => row.name,
  )
const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 1_400_000 })

test('no event is lost if a program makes as many calls as a transaction can have, with loaded addresses', async () => {
  const calls = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      invoke: own(i % 2 === 0 ? 'suspend_agent' : 'reactivate_agent'),
    }))
  // The limit is 64 instructions: two for each call, and those of the transaction.
  expect(await sendWithTable([limit, hostile(calls(32))])).toEqual({
    InstructionError: [1, 'MaxInstructionTraceLengthExceeded'],
  })
  expect(await events()).toEqual(['AgentRegistered'])
  expect(await sendWithTable([limit, hostile(calls(30))])).toBeNull()
  const pairs = Array.from({ length: 15 }, () => ['AgentSuspended', 'AgentReactivated']).flat()
  expect(await events()).toEqual(['AgentRegistered', ...pairs])
  const { differences, unreadable } = await audit({ orm: database.orm, rpc: world.rpc, programId })
  expect({ differences, unreadable }).toEqual({ differences: [], unreadable: [] })
})
