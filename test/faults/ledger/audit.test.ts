import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { compareHistory } from '../../../src/ledger/audit/compare-transactions.ts'
import type { AuditContext } from '../../../src/ledger/audit/findings.ts'
import { LedgerRpcError } from '../../../src/ledger/rpc/rpc-error.ts'
import { agentAccount, closing, keyOf, registration, report } from '../../support/ledger/samples.ts'
import { useScriptedWorld } from '../../support/ledger/scripted-world.ts'

const world = useScriptedWorld()
const { database, ledger, stop, idle, audited, rebuilt, dump } = world
beforeEach(async () => {
  for (const label of ['a', 'b', 'c']) ledger.send(registration(label))
  ledger.advance(10)
  ledger.send(report('a', 250, 262))
  ledger.send(closing('c'))
  ledger.advance(50)
  await idle()
})

const edit = (statement: ReturnType<typeof sql>) => statement.execute(world.db)
const subscribe = (id: string) =>
  edit(sql`
    insert into webhook_subscriptions (id, wallet, url, event_types, secret_encrypted)
    values (${id}, 'w', 'https://r.example', '{agent.registered}', '')`)

test('an audit of correct tables finds no difference', async () => {
  expect(await audited()).toEqual({
    accounts: 2,
    transactions: 5,
    events: 5,
    differences: [],
    unreadable: [],
  })
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
  await stop()
  await edit(statement)
  const { differences } = await audited()
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
  await idle()
  expect((await audited()).differences).toEqual([{ table: 'agents', key: keyOf('b'), ...difference }])
})

test('the audit names agents that closed or appeared without an event', async () => {
  ledger.send({ ...closing('b'), events: [] })
  ledger.send({ ...registration('c'), events: [] })
  await idle()
  const field = 'existence after its last event'
  expect((await audited()).differences.toSorted((a, b) => Number(a.ledger) - Number(b.ledger))).toEqual([
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
    return idle()
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
  await idle()
  expect((await audited()).differences).toEqual([])
})

test('the audit finds a lost event, and its history only if that is lost too', async () => {
  await stop()
  await edit(sql`delete from ledger_events where name = 'ReputationUpdated'`)
  expect((await audited()).differences.map((each) => each.table)).toEqual(['ledger_events'])
  await edit(sql`delete from agent_history where event_type = 'reputation_updated'`)
  const { differences } = await audited()
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
    await stop()
    await edit(sql`update agents set name = 'edited' where name = 'b'`)
    await edit(sql`delete from ledger_events where name = 'AgentClosed'`)
    await edit(sql`
    insert into ledger_events select 'evt_invented', position, 'invented', slot, name, agent_pda, owner, data, finality, occurred_at
    from ledger_events where name = 'ReputationUpdated'`)
    await edit(sql`update ledger_events set owner = 'somebody' where agent_pda = ${keyOf('b')}`)
    const [lost] = ledger.entries.slice(-1)
    const { accounts, transactions, events, differences } = await audited(size)
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
  await stop()
  const progress: string[] = []
  const second = Promise.withResolvers<void>()
  const rpc = ledger.rpc()
  let asked = 0
  const report = await audited({
    rpc: {
      ...rpc,
      settle: async (calls) => {
        if (calls[0]?.method === 'getTransaction') asked += 1
        if (asked === 2) second.resolve()
        await second.promise
        return rpc.settle(calls)
      },
    },
    batchSize: 1,
    inFlight: 2,
    onProgress: ({ stage, done, total }) => progress.push(`${stage} ${done}/${total}`),
  })
  expect(report).toMatchObject({ transactions: 5, differences: [] })
  expect(progress).toEqual(['accounts 2/2', ...[1, 2, 3, 4, 5].map((done) => `transactions ${done}/5`)])
})

test('an audit repeats a read that the database cancelled', async () => {
  await stop()
  const { db } = world
  const waiting = sql<{ pid: number }>`
    select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  const [repeated] = await db.transaction().execute(async (tx) => {
    await sql`lock table agent_history in access exclusive mode`.execute(tx)
    const report = audited()
    await expect.poll(async () => (await waiting.execute(db)).rows.length).toBe(1)
    const [reader] = (await waiting.execute(db)).rows
    await sql`select pg_cancel_backend(${reader?.pid})`.execute(db)
    return [report]
  })
  expect(await repeated).toMatchObject({ transactions: 5, differences: [] })
})

test('an audit ends with the error of a node that refuses a call', async () => {
  const rpc = { ...ledger.rpc(), settle: () => Promise.reject(new LedgerRpcError('rpc', 'refused')) }
  await expect(audited({ rpc })).rejects.toThrow('refused')
})

test('a row that the indexer is about to write is not a difference', async () => {
  ledger.send(registration('new'))
  const { differences, accounts } = await audited({ settleMs: 5_000 })
  expect({ differences, accounts }).toEqual({ differences: [], accounts: 3 })
})

test('a transaction that a fork moved to another slot and time is rewritten in every table', async () => {
  const sent = report('a', 262, 270)
  const signature = ledger.send(sent)
  const { slot } = ledger
  await idle()
  ledger.forkFrom(slot - 1)
  ledger.advance(3)
  const [event] = sent.events ?? []
  const later = { ...event, data: { ...event?.data, timestamp: 1_800_000_000n } } as NonNullable<typeof event>
  ledger.send({ ...sent, events: [later], signature })
  ledger.advance()
  const { differences, events } = await audited({ settleMs: 10_000 })
  expect({ differences, events }).toEqual({ differences: [], events: 6 })
})

test('a rebuild while the indexer runs gives identical tables and enqueues nothing twice', async () => {
  await edit(sql`update agents set card_hash_mismatch = true where name = 'b'`)
  await edit(sql`update agent_card_checks set card_hash_mismatch = true where agent_pda = ${keyOf('b')}`)
  ledger.advance(40)
  const finalities = async () =>
    new Set(
      (await world.db.selectFrom('ledger_events').select('finality').execute()).map((row) => row.finality),
    )
  await expect.poll(finalities).toEqual(new Set(['finalized']))
  const before = await dump()
  await edit(sql`update agents set name = 'vandal'`)
  await edit(sql`delete from agent_history`)
  await edit(sql`delete from ledger_events where name = 'AgentClosed'`)
  const seen: string[] = []
  const done = await rebuilt({
    batchSize: 2,
    inFlight: 1,
    onProgress: ({ stage, done, total }) => seen.push(`${stage} ${done}/${total}`),
  })
  expect(done).toEqual({ transactions: 5, events: 5 })
  expect(seen).toEqual(['accounts 2/2', 'transactions 2/5', 'transactions 4/5', 'transactions 5/5'])
  expect(await dump()).toEqual(before)
  ledger.send(registration('d'))
  await idle()
  expect((await audited()).differences).toEqual([])
})

test('a rebuild sends nothing twice, and sends no old events to later subscriptions', async () => {
  const { db } = world
  await subscribe('early')
  ledger.send(registration('d'))
  await idle()
  await sql`update webhook_deliveries set status = 'success', next_attempt_at = null, completed_at = now()`.execute(
    db,
  )
  await subscribe('late')
  const deliveries = () => db.selectFrom('webhook_deliveries').select(['subscription_id', 'status']).execute()
  const delivered = [{ subscription_id: 'early', status: 'success' }]
  expect(await deliveries()).toEqual(delivered)
  await rebuilt()
  await idle()
  expect(await deliveries()).toEqual(delivered)
  expect((await audited()).differences).toEqual([])
})

test('a rebuild cancels the deliveries of an event that a fork removed while no indexer ran', async () => {
  const { db } = world
  await subscribe('s')
  const { slot } = ledger
  ledger.advance()
  ledger.send(registration('gone'))
  await idle()
  await stop()
  ledger.forkFrom(slot)
  await rebuilt()
  const deliveries = await db.selectFrom('webhook_deliveries').select('status').execute()
  expect(deliveries).toEqual([{ status: 'cancelled' }])
  expect((await audited()).differences).toEqual([])
})

test('a rebuild that fails leaves the tables as they were', async () => {
  const before = await dump()
  const broken = { ...ledger.rpc(), settle: () => Promise.reject(new Error('the node is gone')) }
  await expect(rebuilt({ rpc: broken })).rejects.toThrow('gone')
  expect(await dump()).toEqual(before)
})
