import { PublicKey, TransactionInstruction } from '@solana/web3.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/clock.ts'
import { createIndexer, type Indexer } from '../../../src/ledger/indexer/indexer.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { silentLogger } from '../../support/indexer/indexer.ts'
import { createRegistryWorld, programId, type RegistryWorld } from '../../support/indexer/registry-world.ts'
import { closing } from '../../support/indexer/samples.ts'
import { encodeEvent } from '@agent-registry/program'
import { dumpTables } from '../../support/indexer/tables.ts'

const MEMO = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')

let world: RegistryWorld
let database: TestDatabase
let indexer: Indexer

beforeAll(async () => {
  world = await createRegistryWorld()
  database = await createTestDatabase()
  indexer = createIndexer({
    orm: database.orm,
    rpc: world.rpc,
    wsUrl: world.localnet.wsUrl,
    programId,
    commitment: 'confirmed',
    clock: systemClock,
    logger: silentLogger,
  })
  indexer.start()
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
