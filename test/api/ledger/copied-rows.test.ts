import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { findTransactionsToFetch } from '../../../src/ledger/indexer/fetch/signature-listing.ts'
import { registration, report } from '../../support/ledger/samples.ts'
import { useScriptedWorld } from '../../support/ledger/scripted-world.ts'
import { count, dumpTables, kyselyOf } from '../../support/ledger/tables.ts'
import { checkEventsEqualChanges } from '../../support/ledger/event-property.ts'

const world = useScriptedWorld()

test('rows that the tables already have are merged and not duplicated', async () => {
  const { database, send, start } = world
  send(40)
  let indexer = start({ batchSize: 8 })
  await indexer.whenIdle()
  await indexer.stop()
  const before = await dumpTables(database.orm)
  const db = kyselyOf(database.orm)
  await sql`update indexer_state set cursor_slot = 0, cursor_signature = null`.execute(db)
  await sql`delete from ledger_events where slot between 15 and 20`.execute(db)
  await sql`delete from ledger_transactions where slot between 15 and 25`.execute(db)
  indexer = start({ batchSize: 8 })
  await indexer.whenIdle()
  expect(await dumpTables(database.orm)).toEqual(before)
})

test('what a listing has and the tables do not, and what a fork moved, is fetched', async () => {
  const { database, ledger, send, start } = world
  send(3)
  const indexer = start()
  await indexer.whenIdle()
  await indexer.stop()
  const db = kyselyOf(database.orm)
  const known = ledger.entries.map(({ signature, slot }) => ({ signature, slot, err: null }))
  expect(await findTransactionsToFetch(db, known)).toEqual({ infos: [], moved: [], areNew: true })
  const listed = [{ ...known[0]!, slot: 1_000 }, known[1]!, { ...known[1]!, signature: 'new' }]
  const [moved] = listed
  expect(await findTransactionsToFetch(db, listed)).toEqual({
    infos: [moved, listed[2]],
    moved: [expect.objectContaining({ signature: moved!.signature, slot: known[0]!.slot })],
    areNew: false,
  })
  // A node that lags cannot move what is final.
  await sql`update ledger_transactions set finality = 'finalized'`.execute(db)
  expect(await findTransactionsToFetch(db, listed)).toMatchObject({ moved: [], areNew: false })
  expect(await findTransactionsToFetch(db, [listed[2]!])).toMatchObject({ moved: [], areNew: true })
})

test('a transaction that is listed twice in a backlog is written once', async () => {
  const { database, ledger, send, start } = world
  send(20)
  ledger.entries.push(...ledger.entries.slice(5, 6))
  const indexer = start({ batchSize: 4 })
  await indexer.whenIdle()
  expect(await count(database.orm, 'outbox_events')).toBe(20)
  expect(await count(database.orm, 'ledger_transactions')).toBe(20)
})

test('the state behind rows that already exist is read again and written', async () => {
  const { database, ledger, start } = world
  ledger.send(registration('a'))
  ledger.advance(40)
  let indexer = start()
  await indexer.whenIdle()
  await indexer.stop()
  const [registered] = ledger.entries
  const before = await kyselyOf(database.orm).selectFrom('agents').selectAll().executeTakeFirstOrThrow()
  const sent = ledger.send(report('a', 250, 300))
  ledger.advance(2)
  indexer = start()
  await indexer.whenIdle()
  await indexer.stop()
  // As if the write of the transaction had been interrupted.
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
  indexer = start({ verifyMs: 60_000 })
  await indexer.whenIdle()
  const after = await kyselyOf(database.orm).selectFrom('agents').selectAll().executeTakeFirstOrThrow()
  expect(after.reputation_score).toBe(300)
})

test('whatever surrounds an instruction, the events equal the changes of the accounts', async () => {
  const counts = await checkEventsEqualChanges(150)
  expect(counts.events).toBeGreaterThan(0)
  expect(counts.succeeded).toBeLessThan(counts.sent)
})
