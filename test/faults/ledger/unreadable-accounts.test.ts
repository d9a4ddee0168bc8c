import { Keypair, PublicKey, Transaction, type TransactionInstruction } from '@solana/web3.js'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Pubkey } from '@agent-registry/solana'
import { ACCOUNT_BYTES, encodeAccount, registryInstruction } from '@agent-registry/program'
import { audit, type AuditReport } from '../../../src/ledger/audit/audit.ts'
import { rebuild } from '../../../src/ledger/audit/rebuild.ts'
import { untilConfirmed } from '../../../src/compose/localnet/transaction-sender.ts'
import type { Indexer } from '../../../src/ledger/indexer/indexer.ts'
import type { Account } from '@agent-registry/localnet'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { worldIndexer } from '../../support/ledger/indexer.ts'
import {
  addresses,
  type AgentWallet,
  createRegistryWorld,
  keyOf as keypairKey,
  programId,
  registrationArgs,
  type RegistryWorld,
} from '../../support/ledger/registry-world.ts'
import { agentAccount, keyOf } from '../../support/ledger/samples.ts'
import { webhookSink } from '../../../src/webhooks/enqueue.ts'
import { dumpTables, kyselyOf } from '../../support/ledger/tables.ts'

const NAME_LENGTH_AT = 8 + 32 + 1 + 8
const agent = encodeAccount(agentAccount('Poison'))

/** Accounts of the program that none of its instructions can write. */
const POISON: Record<string, Buffer> = {
  'one byte short': agent.subarray(0, -1),
  'cut in the middle': agent.subarray(0, 100),
  'a discriminator alone': agent.subarray(0, 8),
  'one byte too long': Buffer.concat([agent, Buffer.alloc(1)]),
  'ten kilobytes': Buffer.concat([agent, Buffer.alloc(10_240)]),
  'a name longer than the account': withNameLength(5_000),
  'a name of four gigabytes': withNameLength(0xffff_ffff),
}
/** Anyone can assign such accounts to the program. */
const EMPTY: Record<string, Buffer> = { 'no data': Buffer.alloc(0), 'zeros alone': Buffer.alloc(421) }

function withNameLength(length: number): Buffer {
  const data = Buffer.from(agent)
  data.writeUInt32LE(length, NAME_LENGTH_AT)
  return data
}

const atGenesis = (data: Buffer): Account => ({
  lamports: 1_000_000_000n,
  owner: programId,
  data,
  executable: false,
  rentEpoch: 0n,
})
const everyLetter = Object.keys(POISON)
  .map((label) => `undecodable_account ${keyOf(label)}`)
  .sort()

let world: RegistryWorld
let database: TestDatabase
let indexer: Indexer

beforeEach(async () => {
  const accounts = Object.entries({ ...POISON, ...EMPTY }).map(
    ([label, data]) => [keyOf(label), atGenesis(data)] as const,
  )
  world = await createRegistryWorld({ slotMs: 0, accounts: new Map(accounts) })
  database = await createTestDatabase()
  indexer = worldIndexer(world, database.orm, { pollMs: 50 })
  await indexer.whenIdle()
})
afterEach(async () => {
  await indexer.stop()
  await database.drop()
  await world.close()
})

const audited = (): Promise<AuditReport> =>
  audit({ orm: database.orm, rpc: world.rpc, programId, settleMs: 0 })
const letters = async (): Promise<string[]> =>
  ((await dumpTables(database.orm)).dead_letters as { kind: string; pda: string }[])
    .map(({ kind, pda }) => `${kind} ${pda}`)
    .sort()
const rowOf = (wallet: AgentWallet) =>
  kyselyOf(database.orm)
    .selectFrom('agents')
    .select(['name', 'status'])
    .where('pda', '=', wallet.agent)
    .executeTakeFirst()
async function sendAndOverwrite(
  instruction: TransactionInstruction,
  signer: Keypair,
  pda: Pubkey,
  data: Uint8Array,
): Promise<void> {
  await world.connection.sendTransaction(new Transaction().add(instruction), [signer], {
    preflightCommitment: 'processed',
  })
  world.localnet.fault.overwrite(pda, data)
  world.localnet.stepSlot(2)
  await indexer.whenIdle()
}

test('the program allocates accounts of the length that the service expects', async () => {
  const wallet = await world.wallet('Sized')
  await wallet.send('deposit', {}, { amount: 100_000_000n })
  await wallet.send('request_withdrawal', { stake: addresses.stake(wallet.agent) }, { amount: 1n })
  await (await world.wallet('Leaving')).send('deactivate_agent')
  const { value } = await world.rpc.call<{ value: { account: { data: [string] } }[] }>('getProgramAccounts', [
    programId,
    { encoding: 'base64', commitment: 'confirmed', withContext: true },
  ])
  const lengths = new Set(value.map(({ account }) => Buffer.from(account.data[0], 'base64').length))
  for (const bytes of Object.values(ACCOUNT_BYTES)) expect(lengths).toContain(bytes)
})

test('a catch-up writes them only to the dead letters, and the audit reports each', async () => {
  expect(await letters()).toEqual(everyLetter)
  const { agents } = await dumpTables(database.orm)
  expect((agents as { name: string }[]).map(({ name }) => name)).not.toContain('Poison')
  const { differences, unreadable } = await audited()
  expect(differences).toEqual([])
  expect(unreadable.map(({ kind, pda }) => `${kind} ${pda}`).sort()).toEqual(everyLetter)
  const wallet = await world.wallet('After poison')
  await indexer.whenIdle()
  expect(await rowOf(wallet)).toEqual({ name: 'After poison', status: 'active' })
})

test('a rebuild gives the same dead letters', async () => {
  const before = await dumpTables(database.orm)
  await rebuild({ sink: webhookSink, orm: database.orm, rpc: world.rpc, programId })
  expect(await dumpTables(database.orm)).toEqual(before)
})

test.each(Object.entries(POISON))('a new agent whose account is %s is in no table', async (_, data) => {
  const owner = Keypair.generate()
  const funded = await world.connection.requestAirdrop(owner.publicKey, 1_000_000_000)
  await untilConfirmed(world.connection, [funded], async () => world.localnet.stepSlot())
  const [key, pda] = [keypairKey(owner), addresses.agent(keypairKey(owner))]
  const accounts = { payer: key, owner: key, agent: pda }
  const register = registryInstruction(programId, 'register_agent', accounts, registrationArgs('Poison'))
  await sendAndOverwrite(register, owner, pda, data)
  const { agents, ledger_events: events } = await dumpTables(database.orm)
  expect(agents).toEqual([])
  expect(events).toMatchObject([{ name: 'AgentRegistered', agent_pda: pda }])
  expect(await letters()).toContain(`undecodable_account ${pda}`)
  const { differences, unreadable } = await audited()
  expect(differences).toEqual([])
  expect(unreadable.map((each) => each.pda)).toContain(pda)
  const next = await world.wallet('Next')
  await indexer.whenIdle()
  expect(await rowOf(next)).toEqual({ name: 'Next', status: 'active' })
})

test('an agent that becomes unreadable keeps its last row and is in the audit, until it is readable again', async () => {
  const wallet = await world.wallet('Ada')
  const suspend = wallet.instruction('suspend_agent', { authority: wallet.owner })
  await indexer.whenIdle()
  const well = await world.connection.getAccountInfo(new PublicKey(wallet.agent))
  await sendAndOverwrite(suspend, wallet.keypair, wallet.agent, agent.subarray(0, 100))
  expect(await rowOf(wallet)).toEqual({ name: 'Ada', status: 'active' })
  const { differences, unreadable } = await audited()
  expect(differences).toMatchObject([{ table: 'agents', key: wallet.agent, field: '*' }])
  expect(unreadable.map((each) => each.pda)).toContain(wallet.agent)
  world.localnet.fault.overwrite(wallet.agent, well?.data ?? agent)
  await wallet.send('update_agent', {}, { name: 'Ada again' })
  await indexer.whenIdle()
  expect(await rowOf(wallet)).toEqual({ name: 'Ada again', status: 'active' })
  expect(await letters()).toEqual(everyLetter)
  // The account has the state before the suspension again, which no event says.
  expect((await audited()).differences).toEqual([
    {
      table: 'agents',
      key: wallet.agent,
      field: 'status after its last event',
      ledger: 'suspended',
      database: 'active',
    },
  ])
})
