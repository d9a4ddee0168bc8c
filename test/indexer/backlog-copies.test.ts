import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Indexer } from '../../src/ledger/indexer/indexer.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { scriptedIndexer } from './support/indexer.ts'
import { registration, report } from './support/samples.ts'
import { ScriptedLedger } from './support/scripted-ledger.ts'
import { count, dumpTables, kyselyOf } from './support/tables.ts'

let database: TestDatabase
let ledger: ScriptedLedger
let indexer: Indexer | undefined

beforeEach(async () => {
  database = await createTestDatabase()
  ledger = new ScriptedLedger()
})
afterEach(async () => {
  await indexer?.stop()
  await database.drop()
})

function send(transactions: number): void {
  for (let i = 0; i < transactions; i += 1) {
    ledger.send(i % 2 === 0 ? registration(`agent-${i}`) : report(`agent-${i - 1}`, 250, 250 + i))
    ledger.advance()
  }
}

test('what the tables hold already, though nothing was read yet, is merged and not doubled', async () => {
  send(40)
  indexer = scriptedIndexer(database.orm, ledger, { batchSize: 8 })
  await indexer.whenIdle()
  await indexer.stop()
  const before = await dumpTables(database.orm)
  const db = kyselyOf(database.orm)
  await sql`update indexer_state set cursor_slot = 0, cursor_signature = null`.execute(db)
  await sql`delete from ledger_events where slot between 15 and 20`.execute(db)
  await sql`delete from ledger_transactions where slot between 15 and 25`.execute(db)
  indexer = scriptedIndexer(database.orm, ledger, { batchSize: 8 })
  await indexer.whenIdle()
  expect(await dumpTables(database.orm)).toEqual(before)
})

test('a transaction that is listed twice in a backlog is written once', async () => {
  send(20)
  ledger.entries.push(...ledger.entries.slice(5, 6))
  indexer = scriptedIndexer(database.orm, ledger, { batchSize: 4 })
  await indexer.whenIdle()
  expect(await count(database.orm, 'outbox_events')).toBe(20)
  expect(await count(database.orm, 'ledger_transactions')).toBe(20)
})

test('state that was read for rows that were held already is read again and written', async () => {
  ledger.send(registration('a'))
  ledger.advance(40)
  indexer = scriptedIndexer(database.orm, ledger)
  await indexer.whenIdle()
  await indexer.stop()
  const [registered] = ledger.entries
  const before = await kyselyOf(database.orm).selectFrom('agents').selectAll().executeTakeFirstOrThrow()
  const sent = ledger.send(report('a', 250, 300))
  ledger.advance(2)
  indexer = scriptedIndexer(database.orm, ledger)
  await indexer.whenIdle()
  await indexer.stop()
  // As if what wrote the transaction had been interrupted, though that is one commit.
  const db = kyselyOf(database.orm)
  await sql`delete from ledger_transactions where signature = ${sent}`.execute(db)
  await db
    .updateTable('agents')
    .set({ reputation_score: before.reputation_score, slot: registered!.slot })
    .execute()
  await sql`
    update indexer_state set cursor_slot = ${registered!.slot}, cursor_signature = ${registered!.signature}`.execute(
    db,
  )
  indexer = scriptedIndexer(database.orm, ledger, { verifyMs: 60_000 })
  await indexer.whenIdle()
  const after = await kyselyOf(database.orm).selectFrom('agents').selectAll().executeTakeFirstOrThrow()
  expect(after.reputation_score).toBe(300)
})
