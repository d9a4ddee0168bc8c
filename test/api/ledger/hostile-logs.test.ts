import { PublicKey, TransactionInstruction } from '@solana/web3.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Indexer } from '../../../src/ledger/indexer/indexer.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { worldIndexer } from '../../support/ledger/world-indexer.ts'
import { createRegistryWorld, programId, type RegistryWorld } from '../../support/ledger/registry-world.ts'
import { closing } from '../../support/ledger/samples.ts'
import { encodeEvent } from '@agent-registry/program'
import { audit } from '../../../src/ledger/audit/audit.ts'
import { dumpTables, kyselyOf } from '../../support/ledger/tables.ts'

const MEMO = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')

let world: RegistryWorld
let database: TestDatabase
let indexer: Indexer

beforeAll(async () => {
  world = await createRegistryWorld()
  database = await createTestDatabase()
  indexer = worldIndexer(world, database.orm)
})
afterAll(async () => {
  await indexer.stop()
  await world.close()
  await database.drop()
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
  const suspend = wallet.instruction('suspend_agent', { authority: wallet.owner })
  const reactivate = wallet.instruction('reactivate_agent', { authority: wallet.owner })
  await world.transact([memos[0]!, suspend, memos[1]!, reactivate], [wallet.keypair])
  await indexer.whenIdle()
  const after = await dumpTables(database.orm)
  const names = (rows: unknown[] | undefined) => (rows as { name: string }[]).map((row) => row.name).sort()
  expect(names(after.ledger_events)).toEqual(
    [...names(before.ledger_events), 'AgentReactivated', 'AgentSuspended'].sort(),
  )
  expect(after.dead_letters).toEqual([])
})

test('an event has history, a webhook event and a live event after 50 memos that fill the log', async () => {
  const wallet = await world.wallet('Quiet')
  await wallet.send('deposit', {}, { amount: 600_000_000n })
  const memo = new TransactionInstruction({ programId: MEMO, keys: [], data: Buffer.from('a') })
  const request = wallet.instruction('request_withdrawal', {}, { amount: 600_000_000n })
  await world.transact([...Array.from({ length: 50 }, () => memo), request], [wallet.keypair])
  await indexer.whenIdle()
  const tables = (await dumpTables(database.orm)) as Record<string, { agent_pda: string; pda: string }[]>
  expect(tables.agents?.find((row) => row.pda === wallet.agent)).toMatchObject({ tier: 'observer' })
  const history = tables.agent_history?.filter((row) => row.agent_pda === wallet.agent)
  expect(history).toContainEqual(expect.objectContaining({ old_value: 'standard', new_value: 'observer' }))
  // Webhooks and live events are sent from the outbox.
  const outbox = await kyselyOf(database.orm)
    .selectFrom('outbox_events')
    .select('type')
    .where('agent_pda', '=', wallet.agent)
    .orderBy('sequence')
    .execute()
  expect(outbox.map((row) => row.type).slice(-2)).toEqual([
    'stake.withdrawal_requested',
    'agent.tier_updated',
  ])
  expect(tables.dead_letters).toEqual([])
  const { differences, unreadable } = await audit({ orm: database.orm, rpc: world.rpc, programId })
  expect({ differences, unreadable }).toEqual({ differences: [], unreadable: [] })
})
