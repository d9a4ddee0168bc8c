import { expect, test } from 'vitest'
import { encodeAccount, EVENT_TAG } from '@agent-registry/program'
import { systemClock } from '../../../src/platform/clock.ts'
import { agentAccount, closing, keyOf, registration, report } from '../../support/ledger/samples.ts'
import { eventInstruction } from '../../support/ledger/scripted-ledger.ts'
import { useScriptedWorld } from '../../support/ledger/scripted-world.ts'
import { count } from '../../support/ledger/tables.ts'

const world = useScriptedWorld()
const { database, ledger, start, stop, idle, status, audited, rebuilt, dump, letters, names } = world

let ahead = 0
const clock = { ...systemClock, now: () => Date.now() + ahead }

test('accounts older than the history that the node keeps are in the tables, and after a rebuild', async () => {
  ledger.accounts.set(keyOf('old'), encodeAccount(agentAccount('old')).toString('base64'))
  ledger.send(registration('new'))
  await idle()
  expect(await names()).toEqual(['new', 'old'])
  await rebuilt()
  expect(await names()).toEqual(['new', 'old'])
  expect((await audited()).differences).toEqual([])
})

test('a transaction that the node never serves still changes the state, and the audit reports it', async () => {
  await idle()
  ledger.missing.add(ledger.send(registration('a')))
  ledger.withoutOutcome.add(ledger.send(registration('b')))
  ledger.advance(40)
  await expect.poll(names).toEqual(['a', 'b'])
  await expect.poll(letters).toEqual(['missing_transaction', 'missing_transaction'])
  const { differences, unreadable } = await audited()
  expect(differences).toEqual([])
  expect(unreadable).toHaveLength(2)
})

test('a transaction that the node serves again is read, and its dead letter is deleted', async () => {
  start({ clock })
  const lost = ledger.send(registration('a'))
  ledger.missing.add(lost)
  ledger.advance(40)
  await expect.poll(letters).toEqual(['missing_transaction'])
  ledger.missing.delete(lost)
  ahead += 61_000
  await expect.poll(letters).toEqual([])
  expect(await count(database.orm, 'ledger_events')).toBe(1)
  expect((await audited()).differences).toEqual([])
})

test('a node that lists no accounts is indexed by its transactions', async () => {
  ledger.refusals.getProgramAccounts = -32010
  ledger.send(registration('a'))
  await idle()
  expect(await names()).toEqual(['a'])
})

test('a block that the node always refuses delays nothing when it is final', async () => {
  ledger.refusals.getBlock = -32009
  ledger.send(registration('a'))
  ledger.send(report('a', 250, 251))
  start()
  await expect.poll(() => status().counters.failures).toBeGreaterThan(0)
  ledger.advance(40)
  await idle()
  expect(await count(database.orm, 'agent_history')).toBe(1)
  expect((await audited()).differences).toEqual([])
})

test('a node that does not record inner instructions is reported, and another node gives the events', async () => {
  start({ clock })
  const unrecorded = ledger.send({ ...registration('a'), inner: null })
  ledger.advance(40)
  await expect.poll(letters).toEqual(['missing_transaction'])
  expect(await names()).toEqual(['a'])
  expect(await count(database.orm, 'ledger_events')).toBe(0)
  const { differences, unreadable } = await audited()
  expect(differences).toEqual([])
  expect(unreadable[0]?.reason).toContain('inner instructions')
  const entry = ledger.entries.find((each) => each.signature === unrecorded)!
  entry.inner = registration('a').events!.map(eventInstruction)
  ahead += 61_000
  await expect.poll(letters).toEqual([])
  expect(await count(database.orm, 'ledger_events')).toBe(1)
})

test('the dead letter of an account is deleted when the account closes', async () => {
  ledger.send({ accounts: { [keyOf('a')]: Buffer.from('not an account') } })
  await idle()
  expect(await letters()).toEqual(['unknown_account'])
  ledger.send({ ...closing('a'), events: [] })
  await idle()
  expect(await letters()).toEqual([])
  expect((await audited()).differences).toEqual([])
})

test('the audit finds a lost dead letter', async () => {
  ledger.send({ inner: [EVENT_TAG] })
  await idle()
  await stop()
  await database.orm.em.getConnection().execute('delete from dead_letters')
  expect((await audited()).differences).toMatchObject([{ table: 'dead_letters', field: '*' }])
})

/** The node forgets what it had while no indexer runs. */
async function loseHistory(): Promise<void> {
  ledger.send(registration('a'))
  ledger.advance(400)
  await idle()
  await expect.poll(() => status().finalizedSlot).toBeGreaterThan(0)
  await stop()
  ledger.entries = []
  ledger.advance(500)
}

test('history that the node has deleted is reported, and later history is read', async () => {
  await loseHistory()
  ledger.send(report('a', 250, 260))
  ledger.send(registration('b'))
  start()
  await expect.poll(letters).toEqual(['missing_history'])
  await idle()
  expect(await names()).toEqual(['a', 'b'])
  expect(await count(database.orm, 'agent_history')).toBe(1)
  ledger.send(registration('c'))
  await idle()
  expect(await names()).toEqual(['a', 'b', 'c'])
})

test('transactions after a gap in the history still become final', async () => {
  await loseHistory()
  ledger.send(registration('b'))
  start()
  await expect.poll(letters).toEqual(['missing_history'])
  await idle()
  ledger.advance(40)
  await expect.poll(() => status().counters.finalized).toBe(1)
  const base = ledger.slot - 1
  ledger.send(registration('gone'))
  await idle()
  expect(await names()).toEqual(['a', 'b', 'gone'])
  ledger.forkFrom(base)
  ledger.advance(60)
  await expect.poll(names).toEqual(['a', 'b'])
})

test('a transaction of an unknown version is a dead letter with the reason, and all others are read', async () => {
  await idle()
  ledger.send(registration('before'))
  ledger.version = 2
  const unknown = ledger.send(registration('unknown'))
  ledger.version = 1
  ledger.send(registration('same slot'))
  ledger.advance()
  ledger.send(registration('after'))
  await expect.poll(async () => (await dump()).ledger_events?.length).toBe(3)
  // Its state is in the accounts, only its events are unknown.
  await expect.poll(names).toEqual(['after', 'before', 'same slot', 'unknown'])
  const { dead_letters: [letter] = [] } = await dump()
  expect(letter).toMatchObject({
    kind: 'unreadable_transaction',
    signature: unknown,
    reason: 'Transaction version (2) is not supported',
  })
  ledger.advance(40)
  await expect.poll(() => status().counters.finalized).toBe(3)
  const { differences, unreadable } = await audited()
  expect([differences.length, unreadable.length]).toEqual([0, 1])
})
