import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { audit, type AuditReport } from '../../../src/ledger/audit/audit.ts'
import { compareHistory } from '../../../src/ledger/audit/compare-transactions.ts'
import type { AuditContext } from '../../../src/ledger/audit/findings.ts'
import type { Indexer } from '../../../src/ledger/indexer/indexer.ts'
import { LedgerRpcError } from '../../../src/ledger/rpc/rpc-error.ts'
import { rebuild } from '../../../src/ledger/audit/rebuild.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { scriptedIndexer } from '../../support/ledger/indexer.ts'
import { agentAccount, closing, keyOf, registration, report } from '../../support/ledger/samples.ts'
import { PROGRAM_ID, ScriptedLedger } from '../../support/ledger/scripted-ledger.ts'
import { webhookSink } from '../../../src/webhooks/enqueue.ts'
import { dumpTables, kyselyOf } from '../../support/ledger/tables.ts'

let database: TestDatabase
let ledger: ScriptedLedger
let indexer: Indexer

beforeEach(async () => {
  database = await createTestDatabase()
  ledger = new ScriptedLedger()
  for (const label of ['a', 'b', 'c']) ledger.send(registration(label))
  ledger.advance(10)
  ledger.send(report('a', 250, 262))
  ledger.send(closing('c'))
  ledger.advance(50)
  indexer = scriptedIndexer(database.orm, ledger)
  await indexer.whenIdle()
})
afterEach(async () => {
  await indexer.stop()
  await database.drop()
})

const run = (settleMs = 0): Promise<AuditReport> =>
  audit({ orm: database.orm, rpc: ledger.rpc(), programId: PROGRAM_ID, settleMs })
const edit = (statement: ReturnType<typeof sql>) => statement.execute(kyselyOf(database.orm))

test('an audit of correct tables finds no difference', async () => {
  expect(await run()).toEqual({ accounts: 2, transactions: 5, events: 5, differences: [], unreadable: [] })
})

test.each([
  [
    'a field of a row',
    sql`update agents set reputation_score = 1000 where name = 'a'`,
    { table: 'agents', key: keyOf('a'), field: 'reputation_score', ledger: 262, database: 1000 },
  ],
  [
    'a wrong count',
    sql`update agent_counts set count = 7`,
    { table: 'agent_counts', key: 'observer/active/research/f', field: 'count', ledger: 2, database: 7 },
  ],
  [
    'a missing row',
    sql`delete from agents where name = 'b'`,
    { table: 'agents', key: keyOf('b'), field: '*', database: undefined },
  ],
  [
    'an additional row',
    sql`insert into deactivation_records values ('x', 'y', now(), 1, 1, 1)`,
    { table: 'deactivation_records', key: 'x', field: '*', ledger: undefined },
  ],
  [
    'an edited history entry',
    sql`update agent_history set new_value = '999'`,
    { table: 'agent_history', field: 'new_value', ledger: '262', database: '999' },
  ],
  [
    'a lost webhook event',
    sql`delete from outbox_events where type = 'agent.closed'`,
    { table: 'outbox_events', field: '*', database: undefined },
  ],
  [
    'another body of a webhook event',
    sql`update outbox_events set body = '{}' where type = 'agent.closed'`,
    { table: 'outbox_events', field: 'body', database: '{}' },
  ],
  [
    'a webhook event with another slot',
    sql`update outbox_events set slot = 7 where type = 'agent.closed'`,
    { table: 'outbox_events', field: 'slot', ledger: 11, database: 7 },
  ],
  [
    'a webhook event without an event',
    sql`
      insert into outbox_events (id, event_id, type, agent_pda, slot, body, occurred_at)
      values ('evt_invented', 'nowhere', 'agent.closed', 'x', 1, '{}', now())`,
    { table: 'outbox_events', key: 'evt_invented', field: '*', ledger: undefined },
  ],
  [
    'a dead letter about a transaction that does not exist',
    sql`
      insert into dead_letters (id, kind, signature, slot, reason)
      values ('letter', 'unknown_event', 'nowhere', 1, 'invented')`,
    { table: 'dead_letters', key: 'letter', field: '*', ledger: undefined },
  ],
  [
    'a dead letter about an account that does not exist',
    sql`
      insert into dead_letters (id, kind, pda, slot, reason)
      values ('letter', 'unknown_account', 'nowhere', 1, 'invented')`,
    { table: 'dead_letters', key: 'letter', field: '*', ledger: undefined },
  ],
  [
    'history without an event',
    sql`insert into agent_history (event_id, position, agent_pda, event_type, old_value, new_value, occurred_at)
      values ('evt_invented', 'p', ${keyOf('b')}, 'tier_updated', 'basic', 'standard', now())`,
    { table: 'agent_history', key: 'evt_invented', field: '*', ledger: undefined },
  ],
  [
    'an open account remembered as closed',
    sql`insert into closed_accounts (pda, slot) values (${keyOf('b')}, 999999)`,
    { table: 'closed_accounts', key: keyOf('b'), field: '*', ledger: undefined },
  ],
])('the audit finds only %s', async (_, statement, difference) => {
  await indexer.stop()
  await edit(statement)
  const { differences } = await run()
  expect(differences).toHaveLength(1)
  expect(differences[0]).toMatchObject(difference)
})

test.each([
  [
    'tier',
    { tier: 'premium' as const },
    { field: 'tier after its last event', ledger: 'observer', database: 'premium' },
  ],
  [
    'status',
    { status: 'suspended' as const },
    { field: 'status after its last event', ledger: 'active', database: 'suspended' },
  ],
  [
    'reputation',
    { reputationScore: 251 },
    { field: 'reputation_score after its last event', ledger: '250', database: '251' },
  ],
  [
    'metadata',
    { agentCardHash: new Uint8Array(32).fill(8) },
    { field: 'agent_card_hash after its last event', ledger: '07'.repeat(32), database: '08'.repeat(32) },
  ],
])('the audit names a change of the %s without an event', async (_, change, difference) => {
  ledger.send({ accounts: { [keyOf('b')]: agentAccount('b', change) } })
  await indexer.whenIdle()
  expect((await run()).differences).toEqual([{ table: 'agents', key: keyOf('b'), ...difference }])
})

test('the audit names agents that closed or appeared without an event', async () => {
  ledger.send({ ...closing('b'), events: [] })
  ledger.send({ ...registration('c'), events: [] })
  await indexer.whenIdle()
  const field = 'existence after its last event'
  expect((await run()).differences.toSorted((a, b) => Number(a.ledger) - Number(b.ledger))).toEqual([
    { table: 'agents', key: keyOf('c'), field, ledger: false, database: true },
    { table: 'agents', key: keyOf('b'), field, ledger: true, database: false },
  ])
})

test('a difference to the last events remains while nothing changes, not while the agent changes again and again', async () => {
  const { signal } = new AbortController()
  const compare = (settleMs: number) =>
    compareHistory({ orm: database.orm, settleMs, signal } as AuditContext, [])
  let reputationScore = 250
  const change = (): Promise<void> => {
    ledger.send({ accounts: { [keyOf('b')]: agentAccount('b', { reputationScore: ++reputationScore }) } })
    return indexer.whenIdle()
  }
  await change()
  for (const settleMs of [0, 200]) expect(await compare(settleMs)).toHaveLength(1)
  const finished = new AbortController()
  const differences = compare(600).finally(() => finished.abort())
  while (!finished.signal.aborted) await change()
  expect(await differences).toEqual([])
})

test('the audit starts the history of an agent at its last registration', async () => {
  ledger.send(report('b', 250, 200))
  ledger.send(closing('b'))
  ledger.send(registration('b'))
  await indexer.whenIdle()
  expect((await run()).differences).toEqual([])
})

test('the audit finds a lost event, and its history only if that is lost too', async () => {
  await indexer.stop()
  await edit(sql`delete from ledger_events where name = 'ReputationUpdated'`)
  expect((await run()).differences.map((each) => each.table)).toEqual(['ledger_events'])
  await edit(sql`delete from agent_history where event_type = 'reputation_updated'`)
  const { differences } = await run()
  expect(differences.map((each) => each.table).sort()).toEqual(['agent_history', 'ledger_events'])
})

test.each([
  { batchSize: 1, inFlight: 1 },
  { batchSize: 2, inFlight: 3 },
  { batchSize: 100, inFlight: 6 },
])(
  'the audit finds exactly one edited row and a lost, an invented and an edited event ($batchSize by $inFlight)',
  async (size) => {
    ledger.pageCap = 2
    await indexer.stop()
    await edit(sql`update agents set name = 'edited' where name = 'b'`)
    await edit(sql`delete from ledger_events where name = 'AgentClosed'`)
    await edit(sql`
    insert into ledger_events select 'evt_invented', position, 'invented', slot, name, agent_pda, owner, data, finality, occurred_at
    from ledger_events where name = 'ReputationUpdated'`)
    await edit(sql`update ledger_events set owner = 'somebody' where agent_pda = ${keyOf('b')}`)
    const [lost] = ledger.entries.slice(-1)
    const { accounts, transactions, events, differences } = await audit({
      orm: database.orm,
      rpc: ledger.rpc(),
      programId: PROGRAM_ID,
      settleMs: 0,
      ...size,
    })
    expect({ accounts, transactions, events }).toEqual({ accounts: 2, transactions: 6, events: 5 })
    const found = differences.map(({ table, field, key, ledger: onLedger, database: inTables }) => {
      if (field !== '*') return `${table}.${field} ${String(onLedger)} -> ${String(inTables)}`
      return `${table} ${onLedger === undefined ? `too much: ${key}` : 'lost'}`
    })
    expect(found.sort()).toEqual([
      'agents.name b -> edited',
      'ledger_events lost',
      'ledger_events too much: evt_invented',
      `ledger_events.owner ${keyOf('owner of b')} -> somebody`,
    ])
    expect(differences.find(({ database: none }) => none === undefined)?.ledger).toMatchObject({
      name: 'AgentClosed',
      signature: lost?.signature,
    })
  },
)

test('an audit fetches while it compares, and reports its progress', async () => {
  await indexer.stop()
  const progress: string[] = []
  const second = Promise.withResolvers<void>()
  const rpc = ledger.rpc()
  let asked = 0
  const report = await audit({
    orm: database.orm,
    rpc: {
      ...rpc,
      settle: async (calls) => {
        if (calls[0]?.method === 'getTransaction') asked += 1
        if (asked === 2) second.resolve()
        await second.promise
        return rpc.settle(calls)
      },
    },
    programId: PROGRAM_ID,
    settleMs: 0,
    batchSize: 1,
    inFlight: 2,
    onProgress: ({ stage, done, total }) => progress.push(`${stage} ${done}/${total}`),
  })
  expect(report).toMatchObject({ transactions: 5, differences: [] })
  expect(progress).toEqual(['accounts 2/2', ...[1, 2, 3, 4, 5].map((done) => `transactions ${done}/5`)])
})

test('an audit repeats a read that the database cancelled', async () => {
  await indexer.stop()
  const db = kyselyOf(database.orm)
  const waiting = sql<{ pid: number }>`
    select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  const audited = await db.transaction().execute(async (tx) => {
    await sql`lock table agent_history in access exclusive mode`.execute(tx)
    const report = run()
    await expect.poll(async () => (await waiting.execute(db)).rows.length).toBe(1)
    const [reader] = (await waiting.execute(db)).rows
    await sql`select pg_cancel_backend(${reader?.pid})`.execute(db)
    return [report]
  })
  expect(await audited[0]).toMatchObject({ transactions: 5, differences: [] })
})

test('an audit ends with the error of a node that refuses a call', async () => {
  const rpc = { ...ledger.rpc(), settle: () => Promise.reject(new LedgerRpcError('rpc', 'refused')) }
  await expect(audit({ orm: database.orm, rpc, programId: PROGRAM_ID, settleMs: 0 })).rejects.toThrow(
    'refused',
  )
})

test('a row that the indexer is about to write is not a difference', async () => {
  ledger.send(registration('new'))
  const { differences, accounts } = await run(5_000)
  expect({ differences, accounts }).toEqual({ differences: [], accounts: 3 })
})

test('a transaction that a fork moved to another slot and time is rewritten in every table', async () => {
  const sent = report('a', 262, 270)
  const signature = ledger.send(sent)
  const { slot } = ledger
  await indexer.whenIdle()
  ledger.forkFrom(slot - 1)
  ledger.advance(3)
  const [event] = sent.events ?? []
  const later = { ...event, data: { ...event?.data, timestamp: 1_800_000_000n } } as NonNullable<typeof event>
  ledger.send({ ...sent, events: [later], signature })
  ledger.advance()
  const { differences, events } = await run(10_000)
  expect({ differences, events }).toEqual({ differences: [], events: 6 })
})

test('a rebuild while the indexer runs gives identical tables and enqueues nothing twice', async () => {
  await edit(sql`update agents set card_hash_mismatch = true where name = 'b'`)
  await edit(sql`update agent_card_checks set card_hash_mismatch = true where agent_pda = ${keyOf('b')}`)
  ledger.advance(40)
  await expect
    .poll(async () =>
      (await kyselyOf(database.orm).selectFrom('ledger_events').select('finality').execute()).every(
        (row) => row.finality === 'finalized',
      ),
    )
    .toBe(true)
  const before = await dumpTables(database.orm)
  await edit(sql`update agents set name = 'vandal'`)
  await edit(sql`delete from agent_history`)
  await edit(sql`delete from ledger_events where name = 'AgentClosed'`)
  const seen: string[] = []
  const done = await rebuild({
    sink: webhookSink,
    orm: database.orm,
    rpc: ledger.rpc(),
    programId: PROGRAM_ID,
    batchSize: 2,
    inFlight: 1,
    onProgress: ({ stage, done, total }) => seen.push(`${stage} ${done}/${total}`),
  })
  expect(done).toEqual({ transactions: 5, events: 5 })
  expect(seen).toEqual(['accounts 2/2', 'transactions 2/5', 'transactions 4/5', 'transactions 5/5'])
  expect(await dumpTables(database.orm)).toEqual(before)
  ledger.send(registration('d'))
  await indexer.whenIdle()
  expect((await run()).differences).toEqual([])
})

test('a rebuild sends nothing twice, and sends no old events to later subscriptions', async () => {
  const db = kyselyOf(database.orm)
  const subscribe = (id: string) =>
    sql`
    insert into webhook_subscriptions (id, wallet, url, event_types, secret_encrypted)
    values (${id}, 'w', 'https://r.example', '{agent.registered}', '')`.execute(db)
  await subscribe('early')
  ledger.send(registration('d'))
  await indexer.whenIdle()
  await sql`update webhook_deliveries set status = 'success', next_attempt_at = null, completed_at = now()`.execute(
    db,
  )
  await subscribe('late')
  const deliveries = async (): Promise<unknown[]> =>
    (await db.selectFrom('webhook_deliveries').selectAll().execute()).map((row) => [
      row.subscription_id,
      row.status,
    ])
  expect(await deliveries()).toEqual([['early', 'success']])
  await rebuild({ sink: webhookSink, orm: database.orm, rpc: ledger.rpc(), programId: PROGRAM_ID })
  await indexer.whenIdle()
  expect(await deliveries()).toEqual([['early', 'success']])
  expect((await run()).differences).toEqual([])
})

test('a rebuild cancels the deliveries of an event that a fork removed while no indexer ran', async () => {
  const db = kyselyOf(database.orm)
  await sql`
    insert into webhook_subscriptions (id, wallet, url, event_types, secret_encrypted)
    values ('s', 'w', 'https://r.example', '{agent.registered}', '')`.execute(db)
  const { slot } = ledger
  ledger.advance()
  ledger.send(registration('gone'))
  await indexer.whenIdle()
  await indexer.stop()
  ledger.forkFrom(slot)
  await rebuild({ sink: webhookSink, orm: database.orm, rpc: ledger.rpc(), programId: PROGRAM_ID })
  const deliveries = await db.selectFrom('webhook_deliveries').select('status').execute()
  expect(deliveries).toEqual([{ status: 'cancelled' }])
  expect((await run()).differences).toEqual([])
})

test('a rebuild that fails leaves the tables as they were', async () => {
  const before = await dumpTables(database.orm)
  const broken = { ...ledger.rpc(), settle: () => Promise.reject(new Error('the node is gone')) }
  await expect(
    rebuild({ sink: webhookSink, orm: database.orm, rpc: broken, programId: PROGRAM_ID }),
  ).rejects.toThrow('gone')
  expect(await dumpTables(database.orm)).toEqual(before)
})
