import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/clock.ts'
import { audit } from '../../../src/ledger/audit/audit.ts'
import { rebuild } from '../../../src/ledger/audit/rebuild.ts'
import type { Indexer } from '../../../src/ledger/indexer/indexer.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { scriptedIndexer } from '../../support/ledger/indexer.ts'
import { agentAccount, closing, keyOf, registration, report } from '../../support/ledger/samples.ts'
import { encodeAccount, EVENT_TAG } from '@agent-registry/program'
import { eventInstruction, PROGRAM_ID, ScriptedLedger } from '../../support/ledger/scripted-ledger.ts'
import { webhookSink } from '../../../src/webhooks/enqueue.ts'
import { count, dumpTables } from '../../support/ledger/tables.ts'

let database: TestDatabase
let ledger: ScriptedLedger
let indexer: Indexer

beforeEach(async () => {
  database = await createTestDatabase()
  ledger = new ScriptedLedger()
})
afterEach(async () => {
  await indexer.stop()
  await database.drop()
})

const start = (): Indexer => (indexer = scriptedIndexer(database.orm, ledger))
const run = () => audit({ orm: database.orm, rpc: ledger.rpc(), programId: PROGRAM_ID, settleMs: 0 })
const letters = async (): Promise<string[]> =>
  ((await dumpTables(database.orm)).dead_letters as { kind: string }[]).map((row) => row.kind).sort()
const names = async (): Promise<string[]> =>
  ((await dumpTables(database.orm)).agents as { name: string }[]).map((row) => row.name).sort()
const existing = (label: string): void => {
  ledger.accounts.set(keyOf(label), encodeAccount(agentAccount(label)).toString('base64'))
}

test('accounts older than the history that the node keeps are in the tables, and after a rebuild', async () => {
  existing('old')
  ledger.send(registration('new'))
  await start().whenIdle()
  expect(await names()).toEqual(['new', 'old'])
  await rebuild({ sink: webhookSink, orm: database.orm, rpc: ledger.rpc(), programId: PROGRAM_ID })
  expect(await names()).toEqual(['new', 'old'])
  expect((await run()).differences).toEqual([])
})

test('a transaction that the node never serves still changes the state, and the audit reports it', async () => {
  await start().whenIdle()
  ledger.missing.add(ledger.send(registration('a')))
  ledger.withoutOutcome.add(ledger.send(registration('b')))
  ledger.advance(40)
  await expect.poll(names).toEqual(['a', 'b'])
  await expect.poll(letters).toEqual(['missing_transaction', 'missing_transaction'])
  const { differences, unreadable } = await run()
  expect(differences).toEqual([])
  expect(unreadable).toHaveLength(2)
})

test('a transaction that the node serves again is read, and its dead letter is deleted', async () => {
  let ahead = 0
  const clock = { ...systemClock, now: () => Date.now() + ahead }
  indexer = scriptedIndexer(database.orm, ledger, { clock })
  const lost = ledger.send(registration('a'))
  ledger.missing.add(lost)
  ledger.advance(40)
  await expect.poll(letters).toEqual(['missing_transaction'])
  ledger.missing.delete(lost)
  ahead = 61_000
  await expect.poll(letters).toEqual([])
  expect(await count(database.orm, 'ledger_events')).toBe(1)
  expect((await run()).differences).toEqual([])
})

test('a node that lists no accounts is indexed by its transactions', async () => {
  ledger.refusals.getProgramAccounts = -32010
  ledger.send(registration('a'))
  await start().whenIdle()
  expect(await names()).toEqual(['a'])
})

test('a block that the node always refuses delays nothing when it is final', async () => {
  ledger.refusals.getBlock = -32009
  ledger.send(registration('a'))
  ledger.send(report('a', 250, 251))
  start()
  await expect.poll(() => indexer.status().counters.failures).toBeGreaterThan(0)
  ledger.advance(40)
  await indexer.whenIdle()
  expect(await count(database.orm, 'agent_history')).toBe(1)
  expect((await run()).differences).toEqual([])
})

test('a node that does not record inner instructions is reported, and another node gives the events', async () => {
  let ahead = 0
  const clock = { ...systemClock, now: () => Date.now() + ahead }
  indexer = scriptedIndexer(database.orm, ledger, { clock })
  const unrecorded = ledger.send({ ...registration('a'), inner: null })
  ledger.advance(40)
  await expect.poll(letters).toEqual(['missing_transaction'])
  expect(await names()).toEqual(['a'])
  expect(await count(database.orm, 'ledger_events')).toBe(0)
  const { differences, unreadable } = await run()
  expect(differences).toEqual([])
  expect(unreadable[0]?.reason).toContain('inner instructions')
  const entry = ledger.entries.find((each) => each.signature === unrecorded)!
  entry.inner = registration('a').events!.map(eventInstruction)
  ahead = 61_000
  await expect.poll(letters).toEqual([])
  expect(await count(database.orm, 'ledger_events')).toBe(1)
})

test('the dead letter of an account is deleted when the account closes', async () => {
  ledger.send({ accounts: { [keyOf('a')]: Buffer.from('not an account') } })
  await start().whenIdle()
  expect(await letters()).toEqual(['unknown_account'])
  ledger.send({ ...closing('a'), events: [] })
  await indexer.whenIdle()
  expect(await letters()).toEqual([])
  expect((await run()).differences).toEqual([])
})

test('the audit finds a lost dead letter', async () => {
  ledger.send({ inner: [EVENT_TAG] })
  await start().whenIdle()
  await indexer.stop()
  await database.orm.em.getConnection().execute('delete from dead_letters')
  expect((await run()).differences).toMatchObject([{ table: 'dead_letters', field: '*' }])
})

test('history that the node has deleted is reported, and later history is read', async () => {
  ledger.send(registration('a'))
  ledger.advance(400)
  await start().whenIdle()
  await expect.poll(() => indexer.status().finalizedSlot).toBeGreaterThan(0)
  await indexer.stop()
  ledger.entries = []
  ledger.advance(500)
  ledger.send(report('a', 250, 260))
  ledger.send(registration('b'))
  start()
  await expect.poll(letters).toEqual(['missing_history'])
  await indexer.whenIdle()
  expect(await names()).toEqual(['a', 'b'])
  expect(await count(database.orm, 'agent_history')).toBe(1)
  ledger.send(registration('c'))
  await indexer.whenIdle()
  expect(await names()).toEqual(['a', 'b', 'c'])
})

test('transactions after a gap in the history still become final', async () => {
  ledger.send(registration('a'))
  ledger.advance(400)
  await start().whenIdle()
  await expect.poll(() => indexer.status().finalizedSlot).toBeGreaterThan(0)
  await indexer.stop()
  ledger.entries = []
  ledger.advance(500)
  ledger.send(registration('b'))
  start()
  await expect.poll(letters).toEqual(['missing_history'])
  await indexer.whenIdle()
  ledger.advance(40)
  await expect.poll(() => indexer.status().counters.finalized).toBe(1)
  const base = ledger.slot - 1
  ledger.send(registration('gone'))
  await indexer.whenIdle()
  expect(await names()).toEqual(['a', 'b', 'gone'])
  ledger.forkFrom(base)
  ledger.advance(60)
  await expect.poll(names).toEqual(['a', 'b'])
})

test('a transaction of an unknown version is a dead letter with the reason, and all others are read', async () => {
  await start().whenIdle()
  ledger.send(registration('before'))
  ledger.version = 2
  const unknown = ledger.send(registration('unknown'))
  ledger.version = 1
  ledger.send(registration('same slot'))
  ledger.advance()
  ledger.send(registration('after'))
  await expect.poll(async () => (await dumpTables(database.orm)).ledger_events?.length).toBe(3)
  // Its state is in the accounts, only its events are unknown.
  await expect.poll(names).toEqual(['after', 'before', 'same slot', 'unknown'])
  const { dead_letters: [letter] = [] } = await dumpTables(database.orm)
  expect(letter).toMatchObject({
    kind: 'unreadable_transaction',
    signature: unknown,
    reason: 'Transaction version (2) is not supported',
  })
  ledger.advance(40)
  await expect.poll(() => indexer.status().counters.finalized).toBe(3)
  const { differences, unreadable } = await run()
  expect([differences.length, unreadable.length]).toEqual([0, 1])
})
