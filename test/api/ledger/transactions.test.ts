import {
  AddressLookupTableProgram,
  ComputeBudgetProgram,
  PublicKey,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Indexer } from '../../../src/ledger/indexer/indexer.ts'
import { v1Transaction } from '@agent-registry/localnet/testing/v1'
import { encodeEvent } from '@agent-registry/program'
import { MAX_TRANSACTION_VERSION } from '@agent-registry/solana'
import { audit } from '../../../src/ledger/audit/audit.ts'
import { useTestDatabase } from '../../support/database.ts'
import { hostile, hostileProgram } from '../../support/ledger/hostile-program.ts'
import {
  addresses,
  type AgentWallet,
  createRegistryWorld,
  programId,
} from '../../support/ledger/registry-world.ts'
import { closing } from '../../support/ledger/samples.ts'
import { dumpTables, kyselyOf } from '../../support/ledger/tables.ts'
import { worldIndexer } from '../../support/ledger/indexer.ts'
import { perFile } from '../../support/lifetime.ts'

const MEMO = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')

const world = perFile(() => createRegistryWorld({ programs: [hostileProgram] }))
const database = useTestDatabase()
let indexer: Indexer
beforeAll(() => {
  indexer = worldIndexer(world, database.orm)
})
afterAll(() => indexer.stop())

const own = (wallet: AgentWallet, name: string) => wallet.instruction(name, { authority: wallet.owner })
/** The names of the events of an agent, in the order of the ledger. */
async function eventsOf({ agent }: AgentWallet): Promise<string[]> {
  const events = kyselyOf(database.orm).selectFrom('ledger_events').select('name')
  const rows = await events.where('agent_pda', '=', agent).orderBy('position').execute()
  return rows.map((row) => row.name)
}
async function expectNoDifferences(): Promise<void> {
  const { differences, unreadable } = await audit({ orm: database.orm, rpc: world.rpc, programId })
  expect({ differences, unreadable }).toEqual({ differences: [], unreadable: [] })
}

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
  const live = async (): Promise<void> => {
    for (const [i, wallet] of wallets.entries()) {
      const version = i % 2 === 0 ? '1' : 'legacy'
      expect(String(await send(version, [own(wallet, 'suspend_agent')], wallet))).toBe(version)
      await wallet.send('reactivate_agent', { authority: wallet.owner })
      await send('1', [own(wallet, 'suspend_agent'), own(wallet, 'reactivate_agent')], wallet)
    }
  }
  await indexer.stop()
  await live()
  indexer = worldIndexer(world, database.orm)
  await live()
  await indexer.whenIdle()
  const events = (await Promise.all(wallets.map(eventsOf))).flat()
  expect(events.filter((name) => name === 'AgentSuspended')).toHaveLength(12)
  expect(await kyselyOf(database.orm).selectFrom('dead_letters').selectAll().execute()).toEqual([])
  await expectNoDifferences()
})

/** Sends a transaction of version 0 whose registry accounts are all in a lookup table. */
async function sendWithTable(
  wallet: AgentWallet,
  ...instructions: TransactionInstruction[]
): Promise<unknown> {
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

const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 1_400_000 })

test('no event is lost if a program makes as many calls as a transaction can have, with loaded addresses', async () => {
  const wallet = await world.wallet('Loaded')
  const calls = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      invoke: own(wallet, i % 2 === 0 ? 'suspend_agent' : 'reactivate_agent'),
    }))
  // The limit is 64 instructions: two for each call, and those of the transaction.
  expect(await sendWithTable(wallet, limit, hostile(calls(32)))).toEqual({
    InstructionError: [1, 'MaxInstructionTraceLengthExceeded'],
  })
  expect(await eventsOf(wallet)).toEqual(['AgentRegistered'])
  expect(await sendWithTable(wallet, limit, hostile(calls(30)))).toBeNull()
  const pairs = Array.from({ length: 15 }, () => ['AgentSuspended', 'AgentReactivated']).flat()
  expect(await eventsOf(wallet)).toEqual(['AgentRegistered', ...pairs])
  await expectNoDifferences()
})

test('text that another program logs never becomes a registry event', async () => {
  const wallet = await world.wallet('Honest')
  await indexer.whenIdle()
  const before = await dumpTables(database.orm)
  const event = `Program data: ${encodeEvent(closing('Honest').events![0]!).toString('base64')}`
  const lines = [event, `Program ${programId} invoke [2]\n${event}\nProgram ${programId} success`]
  const memos = lines.map(
    (line) =>
      new TransactionInstruction({
        programId: MEMO,
        keys: [],
        data: Buffer.from(`\n${line}\nProgram ${programId} invoke [1]`),
      }),
  )
  const suspend = own(wallet, 'suspend_agent')
  const reactivate = own(wallet, 'reactivate_agent')
  await world.transact([memos[0]!, suspend, memos[1]!, reactivate], [wallet.keypair])
  await indexer.whenIdle()
  const after = await dumpTables(database.orm)
  const names = (rows: unknown[] | undefined) => (rows as { name: string }[]).map((row) => row.name).sort()
  expect(names(after.ledger_events)).toEqual(
    [...names(before.ledger_events), 'AgentReactivated', 'AgentSuspended'].sort(),
  )
  expect(after.dead_letters).toEqual([])
})
