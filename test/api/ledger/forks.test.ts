import { EVENT_TAG } from '@agent-registry/program'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { getAgentHistory } from '../../../src/registry/agents/agent-history.ts'
import type { Indexer } from '../../../src/ledger/indexer/indexer.ts'
import type { LedgerRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { createTestDatabase } from '../../support/database.ts'
import { scriptedIndexer } from '../../support/ledger/indexer.ts'
import { agentAccount, keyOf, registration, report } from '../../support/ledger/samples.ts'
import { ScriptedLedger } from '../../support/ledger/scripted-ledger.ts'
import { count, kyselyOf } from '../../support/ledger/tables.ts'
import { perTest } from '../../support/lifetime.ts'

const database = perTest(() => createTestDatabase())
let ledger: ScriptedLedger
let indexer: Indexer

beforeEach(async () => {
  ledger = new ScriptedLedger()
  ledger.send(registration('a'))
  ledger.advance(5)
})
afterEach(() => indexer.stop())

const scoreOf = async (name: string): Promise<number | undefined> =>
  (
    await kyselyOf(database.orm)
      .selectFrom('agents')
      .select('reputation_score')
      .where('name', '=', name)
      .executeTakeFirst()
  )?.reputation_score

test('a fork without new transactions is detected long before finality', async () => {
  const base = ledger.slot - 1
  ledger.send(report('a', 250, 262))
  ledger.send({ inner: [EVENT_TAG] })
  // The accounts are read at a later slot than after the fork.
  ledger.advance(20)
  indexer = scriptedIndexer(database.orm, ledger)
  await indexer.whenIdle()
  expect(await scoreOf('a')).toBe(262)
  expect(await count(database.orm, 'dead_letters')).toBe(1)
  ledger.forkFrom(base)
  ledger.advance(3)
  await expect.poll(() => scoreOf('a')).toBe(250)
  expect(indexer.status().counters.orphaned).toBe(2)
  expect(indexer.status().finalizedSlot).toBe(0)
  expect(await count(database.orm, 'dead_letters')).toBe(0)
  ledger.send(report('a', 250, 255))
  await indexer.whenIdle()
  expect(await scoreOf('a')).toBe(255)
})

test('a fork that removed the only transaction does not delay the next ones', async () => {
  ledger.forkFrom(0)
  ledger.send(registration('gone'))
  indexer = scriptedIndexer(database.orm, ledger)
  await indexer.whenIdle()
  ledger.forkFrom(0)
  ledger.advance(60)
  await expect.poll(() => indexer.status().counters.orphaned).toBe(1)
  await expect.poll(() => indexer.status().finalizedSlot).toBe(ledger.finalizedSlot)
  ledger.send(registration('next'))
  await indexer.whenIdle()
  expect(await scoreOf('next')).toBe(250)
  expect(indexer.status().counters.failures).toBe(0)
})

test('history that a fork removed can be listed separately, until it returns', async () => {
  const base = ledger.slot - 1
  const moved = report('a', 250, 262)
  const signature = ledger.send(moved)
  indexer = scriptedIndexer(database.orm, ledger)
  await indexer.whenIdle()
  const listed = async (orphaned: boolean): Promise<unknown[]> =>
    (await getAgentHistory(kyselyOf(database.orm), keyOf('a'), { orphaned })).rows.map((row) => row.newValue)
  expect([await listed(false), await listed(true)]).toEqual([['262'], []])
  ledger.forkFrom(base)
  ledger.advance(3)
  await expect.poll(() => listed(false)).toEqual([])
  expect(await listed(true)).toEqual(['262'])
  // The first fork wins after all: the transaction is in the same slot again.
  ledger.forkFrom(base)
  ledger.send({ ...moved, signature })
  await indexer.whenIdle()
  expect([await listed(false), await listed(true)]).toEqual([['262'], []])
})

test('state that an unlisted transaction wrote does not survive a fork', async () => {
  const base = ledger.slot
  ledger.advance(2)
  ledger.hidden.add(ledger.send({ accounts: { [keyOf('a')]: agentAccount('a', { reputationScore: 999 }) } }))
  indexer = scriptedIndexer(database.orm, ledger)
  await indexer.whenIdle()
  expect(await scoreOf('a')).toBe(999)
  ledger.forkFrom(base)
  ledger.advance(2)
  await indexer.whenIdle()
  ledger.advance(60)
  await expect.poll(() => scoreOf('a')).toBe(250)
})

test.each([
  ['changed', agentAccount('a', { reputationScore: 999 }), 999],
  ['closed', null, undefined],
  ['unreadable', Buffer.from('not an account'), undefined],
])('the next indexer also corrects an account that such a transaction left %s', async (_, account, score) => {
  const base = ledger.slot
  ledger.advance(2)
  ledger.hidden.add(ledger.send({ accounts: { [keyOf('a')]: account } }))
  indexer = scriptedIndexer(database.orm, ledger)
  await indexer.whenIdle()
  await indexer.stop()
  expect(await scoreOf('a')).toBe(score)
  ledger.forkFrom(base)
  ledger.advance(62)
  indexer = scriptedIndexer(database.orm, ledger)
  await expect.poll(() => scoreOf('a')).toBe(250)
  await expect.poll(() => count(database.orm, 'dead_letters')).toBe(0)
})

test('a finality check that hangs delays nothing else', async () => {
  const held = Promise.withResolvers<void>()
  const rpc = ledger.rpc()
  const slow: LedgerRpc = {
    ...rpc,
    call: async <T>(method: string, params: unknown[] = []) => {
      const [, config] = params as [unknown, { commitment?: string } | undefined]
      if (config?.commitment === 'finalized') await held.promise
      return rpc.call<T>(method, params)
    },
  }
  ledger.advance(50)
  indexer = scriptedIndexer(database.orm, ledger, { rpc: slow })
  for (const score of [260, 270, 280]) {
    ledger.send(report('a', 250, score))
    ledger.advance()
    await indexer.whenIdle()
    expect(await scoreOf('a')).toBe(score)
  }
  expect(indexer.status().counters.finalized).toBe(0)
  held.resolve()
  ledger.advance(50)
  await expect.poll(() => indexer.status().counters.finalized).toBe(3)
})

test('unsent deliveries are cancelled with their event, and are due again when a fork restores it', async () => {
  const base = ledger.slot - 1
  const moved = report('a', 250, 262)
  const signature = ledger.send(moved)
  indexer = scriptedIndexer(database.orm, ledger)
  await indexer.whenIdle()
  const db = kyselyOf(database.orm)
  for (const [id, status] of Object.entries({ one: 'pending', two: 'retrying', three: 'success' }))
    await sql`
      with s as (
        insert into webhook_subscriptions (id, wallet, url, event_types, secret_encrypted)
        values (${id}, 'w', 'https://r.example', '{agent.reputation_updated}', '') returning id)
      insert into webhook_deliveries (subscription_id, event_id, event_type, status, next_attempt_at, completed_at)
      select s.id, o.id, o.type, ${status}::text,
        case when ${status}::text <> 'success' then now() end, case when ${status}::text = 'success' then now() end
      from s, outbox_events o where o.type = 'agent.reputation_updated'`.execute(db)
  const deliveries = async (): Promise<unknown[]> =>
    (await db.selectFrom('webhook_deliveries').selectAll().orderBy('subscription_id').execute()).map(
      ({ subscription_id: id, status }) => `${id} ${status}`,
    )
  ledger.forkFrom(base)
  ledger.advance(2)
  await expect.poll(deliveries).toEqual(['one cancelled', 'three success', 'two cancelled'])
  await sql`update webhook_subscriptions set active = false where id = 'two'`.execute(db)
  ledger.send({ ...moved, signature })
  await indexer.whenIdle()
  expect(await deliveries()).toEqual(['one pending', 'three success', 'two cancelled'])
})
