import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { claimLeadership, LeadershipLostError, storePosition } from '../../../src/ledger/indexer/position.ts'
import type { LedgerRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { newestPosition, readEvents } from '../../../src/webhooks/live/recent-events.ts'
import { startOwnPostgres } from '../../support/own-postgres.ts'
import { registration } from '../../support/ledger/samples.ts'
import { PROGRAM_ID, type ScriptedLedger } from '../../support/ledger/scripted-ledger.ts'
import { useScriptedWorld } from '../../support/ledger/scripted-world.ts'
import { count, kyselyOf } from '../../support/ledger/tables.ts'

const world = useScriptedWorld()
const { database, ledger, start, stop, audited } = world

test('a leader detects a lost commit, also one that did not move the position', async () => {
  const { db } = world
  const leader = await claimLeadership(db, { programId: PROGRAM_ID, genesisHash: 'g' })
  await storePosition(db, leader)
  await storePosition(db, { ...leader, commits: leader.commits + 1 })
  await sql`update indexer_state set commits = commits - 1`.execute(db)
  await expect(storePosition(db, { ...leader, commits: leader.commits + 2 })).rejects.toThrow(
    LeadershipLostError,
  )
  const next = await claimLeadership(db, { programId: PROGRAM_ID, genesisHash: 'g' })
  await storePosition(db, next)
  await expect(storePosition(db, { ...leader, commits: next.commits + 1 })).rejects.toThrow(
    LeadershipLostError,
  )
})

test('the indexer survives a restart of PostgreSQL and misses nothing', async () => {
  const postgres = await startOwnPostgres()
  const { orm } = postgres
  const indexer = start({}, orm)
  try {
    ledger.send(registration('before'))
    await indexer.whenIdle()
    await postgres.stop()
    ledger.send(registration('meanwhile'))
    await expect.poll(() => indexer.status().counters.failures).toBeGreaterThan(0)
    await postgres.start()
    ledger.send(registration('after'))
    await indexer.whenIdle()
    const report = await audited({ orm })
    expect(report).toEqual({ accounts: 3, transactions: 3, events: 3, differences: [], unreadable: [] })
  } finally {
    await stop()
    await postgres.close()
  }
})

test('nothing is lost and nothing is enqueued twice when the database server crashes while the indexer catches up', async () => {
  const postgres = await startOwnPostgres()
  const { orm } = postgres
  try {
    await sql`
      insert into webhook_subscriptions (id, wallet, url, event_types, secret_encrypted)
      values ('s', 'w', 'https://r.example', '{agent.registered}', '')`.execute(kyselyOf(orm))
    world.send(600)
    const { rpc, resume } = pausing(ledger, 4)
    const indexer = start({ rpc, batchSize: 100 }, orm)
    await expect.poll(() => indexer.status().counters.transactions).toBe(400)
    process.kill(-postmasterOf(postgres.dataDir), 'SIGKILL')
    resume()
    await expect.poll(() => indexer.status().counters.failures).toBeGreaterThan(0)
    await postgres.start()
    await indexer.whenIdle()
    const report = await audited({ orm })
    expect(report).toEqual({ accounts: 300, transactions: 600, events: 600, differences: [], unreadable: [] })
    const { rows } = await sql`select count(*) as count from webhook_deliveries`.execute(kyselyOf(orm))
    expect(rows).toEqual([{ count: 300 }])
  } finally {
    await stop()
    await postgres.close()
  }
})

test('after a failover to a server without the last commits, the indexer continues from its position', async () => {
  const tables = [
    'agents',
    'ledger_transactions',
    'ledger_events',
    'agent_history',
    'outbox_events',
    'indexer_state',
  ]
  const { db } = world
  world.send(20)
  const indexer = start({ verifyMs: 60_000 })
  await indexer.whenIdle()
  for (const table of tables)
    await sql`create table ${sql.ref(`saved_${table}`)} as table ${sql.table(table)}`.execute(db)
  const { rows: sequence } = await sql<{ last_value: number }>`
    select last_value from outbox_events_sequence_seq`.execute(db)
  world.send(10)
  await indexer.whenIdle()
  expect(await count(database.orm, 'ledger_transactions')).toBe(30)
  const seen = await newestPosition(db)
  await db.transaction().execute(async (tx) => {
    for (const table of tables) {
      await sql`delete from ${sql.table(table)}`.execute(tx)
      const saved = sql`select * from ${sql.ref(`saved_${table}`)}`
      await sql`insert into ${sql.table(table)} overriding system value ${saved}`.execute(tx)
    }
    await sql`select setval('outbox_events_sequence_seq', ${sequence[0]?.last_value})`.execute(tx)
  })
  ledger.send(registration('after'))
  await expect.poll(() => count(database.orm, 'ledger_transactions')).toBe(31)
  await indexer.whenIdle()
  const report = await audited()
  expect(report).toEqual({ accounts: 11, transactions: 31, events: 31, differences: [], unreadable: [] })
  const gap = await readEvents(db, seen, {})
  const { rows } = await readEvents(db, gap.upTo, {})
  expect([...gap.rows, ...rows]).toHaveLength(11)
})

/** Serves some batches of transactions, and the rest after `resume`. */
function pausing(ledger: ScriptedLedger, batches: number): { rpc: LedgerRpc; resume: () => void } {
  const rpc = ledger.rpc()
  const { promise, resolve } = Promise.withResolvers<void>()
  let served = 0
  const settle: LedgerRpc['settle'] = async (calls) => {
    if (calls[0]?.method === 'getTransaction' && (served += 1) > batches) await promise
    return rpc.settle(calls)
  }
  return { rpc: { ...rpc, settle }, resume: resolve }
}

const postmasterOf = (dataDir: string): number =>
  Number.parseInt(readFileSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8'), 10)
