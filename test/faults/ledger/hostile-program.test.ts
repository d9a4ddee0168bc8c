import { readFileSync } from 'node:fs'
import { Keypair, PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js'
import { beforeEach, expect, test } from 'vitest'
import { hasCompiler } from '@agent-registry/program/build'
import { audit, type AuditReport } from '../../../src/ledger/audit/audit.ts'
import { createTestDatabase } from '../../support/database.ts'
import { buildHostileProgram, HOSTILE_FILE } from '../../support/hostile-program/build.ts'
import { hostile, hostileProgram } from '../../support/ledger/hostile-program.ts'
import { worldIndexer } from '../../support/ledger/indexer.ts'
import {
  addresses,
  type AgentWallet,
  createRegistryWorld,
  keyOf as keyOfPair,
  programId,
} from '../../support/ledger/registry-world.ts'
import { closing, keyOf } from '../../support/ledger/samples.ts'
import { encodeEvent, EVENT_TAG } from '@agent-registry/program'
import { kyselyOf } from '../../support/ledger/tables.ts'
import { perFile, perTest } from '../../support/lifetime.ts'

const world = perFile(() => createRegistryWorld({ programs: [hostileProgram] }))
const database = perTest(() => createTestDatabase())
const indexer = perTest(() => worldIndexer(world, database.orm))
let wallet: AgentWallet

beforeEach(async () => {
  wallet = await world.wallet('Honest')
})

const send = async (...instructions: TransactionInstruction[]): Promise<void> => {
  await world.transact(instructions, [wallet.keypair])
  await indexer.whenIdle()
}
const suspend = () => wallet.instruction('suspend_agent', { authority: wallet.owner })
const reactivate = () => wallet.instruction('reactivate_agent', { authority: wallet.owner })
const update = (name: string) => wallet.instruction('update_agent', {}, { name })

const events = async (): Promise<string[]> => {
  const rows = await kyselyOf(database.orm)
    .selectFrom('ledger_events')
    .select('name')
    .where('agent_pda', '=', wallet.agent)
    .orderBy('position')
    .execute()
  return rows.map((row) => row.name)
}
const forged = async (): Promise<unknown[]> =>
  kyselyOf(database.orm)
    .selectFrom('ledger_events')
    .select('id')
    .where('agent_pda', '=', keyOf('Honest'))
    .execute()
const letters = async (): Promise<string[]> =>
  (await kyselyOf(database.orm).selectFrom('dead_letters').select('kind').execute()).map((row) => row.kind)
const agent = () =>
  kyselyOf(database.orm)
    .selectFrom('agents')
    .select(['name', 'status'])
    .where('pda', '=', wallet.agent)
    .executeTakeFirst()
const audited = (): Promise<AuditReport> =>
  audit({ orm: database.orm, rpc: world.rpc, programId, settleMs: 0 })

const forgery = encodeEvent(closing('Honest').events![0]!)
const invoke = `Program ${programId} invoke [1]`
const success = `Program ${programId} success`

test.skipIf(!hasCompiler())('the hostile program is what its source gives', () => {
  expect(buildHostileProgram().equals(readFileSync(HOSTILE_FILE))).toBe(true)
})

test('data and text of another program are not events: before, inside and after invocations of the registry', async () => {
  const lies = [
    { data: forgery },
    { text: `${invoke}\nProgram data: ${forgery.toString('base64')}\n${success}` },
    { text: invoke },
    { text: success },
    { text: 'Log truncated' },
    { text: '\nLog truncated\n' },
  ]
  await send(hostile([{ data: forgery }, { invoke: suspend() }, { text: invoke }, { invoke: reactivate() }]))
  await send(hostile([{ invoke: hostile([{ data: forgery }, { invoke: suspend() }, { data: forgery }]) }]))
  const mention = { pubkey: new PublicKey(programId), isSigner: false, isWritable: false }
  for (const lie of lies) {
    const instruction = hostile([lie])
    instruction.keys.push(mention)
    await world.transact([instruction], [])
  }
  await send(hostile([{ text: success }]), reactivate(), hostile([{ text: 'Log truncated' }]))
  expect(await events()).toEqual([
    'AgentRegistered',
    'AgentSuspended',
    'AgentReactivated',
    'AgentSuspended',
    'AgentReactivated',
  ])
  expect(await forged()).toEqual([])
  expect(await letters()).toEqual([])
  expect((await audited()).differences).toEqual([])
})

test('many nested invocations keep their order', async () => {
  const turns = Array.from({ length: 6 }, () => [{ invoke: suspend() }, { invoke: reactivate() }]).flat()
  await send(hostile(turns), hostile([{ invoke: hostile([{ invoke: update('Nested') }]) }]))
  expect(await events()).toEqual([
    'AgentRegistered',
    ...Array.from({ length: 6 }, () => ['AgentSuspended', 'AgentReactivated']).flat(),
    'AgentUpdated',
  ])
  expect((await audited()).differences).toEqual([])
})

test('a failed transaction leaves no event, whatever it logged', async () => {
  const failing = [suspend(), hostile([{ invoke: reactivate() }, { fail: true }])]
  expect(await world.execute(failing, [wallet.keypair])).toEqual({ InstructionError: [1, { Custom: 1 }] })
  await indexer.whenIdle()
  expect(await events()).toEqual(['AgentRegistered'])
  expect((await audited()).differences).toEqual([])
})

test('at the maximum depth of calls, where no event can be sent, the whole transaction fails', async () => {
  const nested = (instruction: TransactionInstruction, depth: number): TransactionInstruction =>
    depth === 0 ? instruction : hostile([{ invoke: nested(instruction, depth - 1) }])
  const attempt = (instruction: TransactionInstruction, ...signers: Keypair[]) =>
    world.execute([instruction], [wallet.keypair, ...signers])
  // This instruction emits no event, so it also runs at the maximum depth.
  const silent = wallet.instruction(
    'set_reporter_active',
    { admin: keyOfPair(world.admin), reporter: addresses.reporter(keyOfPair(world.reporter)) },
    { active: true },
  )
  let depth = 0
  while ((await attempt(nested(silent, depth + 1), world.admin)) === null) depth += 1
  expect(depth).toBeGreaterThan(1)
  expect(await attempt(nested(suspend(), depth))).toEqual({ InstructionError: [0, 'CallDepth'] })
  await indexer.whenIdle()
  expect([await agent(), await events()]).toEqual([{ name: 'Honest', status: 'active' }, ['AgentRegistered']])
  expect(await attempt(nested(suspend(), depth - 1))).toBeNull()
  await indexer.whenIdle()
  expect([await agent(), await events()]).toEqual([
    { name: 'Honest', status: 'suspended' },
    ['AgentRegistered', 'AgentSuspended'],
  ])
  expect((await audited()).differences).toEqual([])
})

test('an empty account that somebody assigns to the program is not a registry account', async () => {
  const gift = Keypair.generate()
  const create = SystemProgram.createAccount({
    fromPubkey: wallet.keypair.publicKey,
    newAccountPubkey: gift.publicKey,
    lamports: 10_000_000,
    space: 100,
    programId: new PublicKey(programId),
  })
  await world.transact([create, hostile([]), suspend()], [wallet.keypair, gift])
  await indexer.whenIdle()
  expect(await letters()).toEqual([])
  expect((await audited()).differences).toEqual([])
})

test('output that truncates the logs hides nothing', async () => {
  await send(
    suspend(),
    hostile([{ noise: 100 }, { data: forgery }, { invoke: reactivate() }, { data: forgery }]),
    update('Quiet'),
  )
  expect(await agent()).toEqual({ name: 'Quiet', status: 'active' })
  expect(await events()).toEqual(['AgentRegistered', 'AgentSuspended', 'AgentReactivated', 'AgentUpdated'])
  expect(await letters()).toEqual([])
  expect(await audited()).toMatchObject({ differences: [], unreadable: [] })
})

test('neither a program nor a wallet can forge an event: the transaction fails', async () => {
  const eventAuthority = new PublicKey(addresses.eventAuthority())
  const attempts = [
    { pubkey: eventAuthority, isSigner: false, code: 6002 },
    { pubkey: wallet.keypair.publicKey, isSigner: true, code: 6004 },
  ]
  for (const { pubkey, isSigner, code } of attempts) {
    const event = new TransactionInstruction({
      programId: new PublicKey(programId),
      keys: [{ pubkey, isSigner, isWritable: false }],
      data: Buffer.concat([EVENT_TAG, forgery, Buffer.of(255)]),
    })
    for (const instruction of [event, hostile([{ invoke: event }])]) {
      expect(await world.execute([suspend(), instruction], [wallet.keypair])).toEqual({
        InstructionError: [1, { Custom: code }],
      })
    }
  }
  await indexer.whenIdle()
  expect(await events()).toEqual(['AgentRegistered'])
  expect(await forged()).toEqual([])
  expect(await letters()).toEqual([])
})
