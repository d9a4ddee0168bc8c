import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type AgentReads, createAgentReads } from '../../../src/registry/agents/agent-reads.ts'
import { createRegistryReads } from '../../../src/registry/agents/registry-reads.ts'
import type { Database } from '../../../src/db/database.ts'
import { openOrm } from '../../../src/db/orm.ts'
import type { Orm } from '../../../src/db/orm-types.ts'
import { openRowReads } from '../../../src/db/session.ts'
import type { Registry } from '../../../src/registry/registry.ts'
import { createStakeReads } from '../../../src/registry/stake-reads.ts'
import { useTestDatabase } from '../../support/database.ts'
import { eventually } from '../../support/eventually.ts'
import { agentRow, insertAgents, insertStakes, keyOf, stakeRow } from '../../support/factories.ts'
import { createTestRegistry } from '../../support/registry.ts'

const database = useTestDatabase()
let kysely: Kysely<Database>
/** Two processes. */
let orms: Orm[]
const registries: Registry[] = []
const agents: AgentReads[] = []
let direct: AgentReads
/** Reads of memory by the last test. */
let fromMemory = 0

beforeAll(async () => {
  kysely = database.orm.em.getKysely()
  orms = [database.orm, await openOrm(database.connection)]
  for (const orm of orms) {
    const registry = await createTestRegistry({ orm })
    registries.push(registry)
    const counted: typeof registry.read = (memory, other) =>
      registry.read((copy) => {
        const found = memory(copy)
        if (found !== undefined) fromMemory += 1
        return found
      }, other)
    agents.push(createAgentReads(orm.em.getKysely(), { registry: { read: counted } }))
  }
  direct = createAgentReads(database.orm.em.getKysely())
})
afterAll(async () => {
  for (const each of registries) await each.stop()
  await orms[1]!.close()
})
beforeEach(async () => {
  await eventually(() => {
    if (!registries.every((each) => each.status().ready)) throw new Error('not in memory')
  })
  await sql`delete from agents`.execute(kysely)
  await sql`delete from stakes`.execute(kysely)
  fromMemory = 0
})

const pdaOf = (label: string) => keyOf(`agent ${label}`)

/** Both processes show what PostgreSQL shows. */
async function expectSame(): Promise<void> {
  const expected = await direct.listConnection({ first: 200 })
  for (const each of agents) expect((await each.listConnection({ first: 200 })).edges).toEqual(expected.edges)
}

test('a read shows each commit before it, on two processes, with many readers', async () => {
  await insertAgents(kysely, [agentRow('counter', { reputation_score: 0 })])
  let committed = 0
  let checks = 0
  let hasFailed = false
  const writing = { isDone: false }
  const writer = (async () => {
    // On a busy machine, many commits fall into one read.
    const goesOn = (i: number): boolean => !hasFailed && (i <= 300 || checks <= 300)
    for (let i = 1; goesOn(i); i++) {
      await sql`update agents set reputation_score = ${i} where pda = ${pdaOf('counter')}`.execute(kysely)
      committed = i
    }
    writing.isDone = true
  })()
  const reader = async (reads: AgentReads, kind: number): Promise<void> => {
    while (!writing.isDone) {
      const oldest = committed
      const found =
        kind === 0
          ? (await reads.get(pdaOf('counter'))).reputationScore
          : (await reads.list({ minReputation: 0 })).rows[0]!.reputationScore
      hasFailed ||= found < oldest
      if (found < oldest) throw new Error(`read ${found} after ${oldest} was committed`)
      checks += 1
    }
  }
  await Promise.all([writer, ...agents.flatMap((each) => [0, 0, 1, 1].map((kind) => reader(each, kind)))])
  expect(fromMemory / checks).toBeGreaterThan(0.9)
})

test('a transaction is shown although one that began later was committed before it', async () => {
  await insertAgents(kysely, ['early', 'late'])
  const isOpen = Promise.withResolvers<void>()
  const mayCommit = Promise.withResolvers<void>()
  const rename = (work: Kysely<Database>, label: string) =>
    sql`update agents set name = 'renamed' where pda = ${pdaOf(label)}`.execute(work)
  const early = kysely.transaction().execute(async (work) => {
    await rename(work, 'early')
    isOpen.resolve()
    await mayCommit.promise
  })
  await isOpen.promise
  const renamed = async () => {
    await expectSame()
    return (await agents[0]!.list({})).rows.filter(({ name }) => name === 'renamed').length
  }
  expect(await renamed()).toBe(0)
  await rename(kysely, 'late')
  expect(await renamed()).toBe(1)
  expect(await renamed()).toBe(1)
  mayCommit.resolve()
  await early
  expect(await renamed()).toBe(2)
})

test('rows, totals and sums are of one moment while writers move agents between filters', async () => {
  const labels = Array.from({ length: 40 }, (_, i) => `moving ${i}`)
  await insertAgents(
    kysely,
    labels.map((label, i) => agentRow(label, { tier: i < 20 ? 'basic' : 'premium' })),
  )
  await insertStakes(
    kysely,
    labels.map((label) => stakeRow(label, { deposited_amount: '10' })),
  )
  const [registry] = registries
  const reads = database.orm.em.getKysely()
  const stats = createRegistryReads(reads, registry)
  const stakes = createStakeReads(reads, registry)
  const writing = { isDone: false }
  // One agent each way, and one unit between two stakes, so counts and sums are always the same.
  const writer = (async () => {
    for (let i = 0; i < 150; i++)
      await kysely.transaction().execute(async (work) => {
        await sql`
          update agents set tier = case tier when 'basic' then 'premium' else 'basic' end where pda in (
            (select pda from agents where tier = 'basic' order by random() limit 1) union all
            (select pda from agents where tier = 'premium' order by random() limit 1))`.execute(work)
        await sql`
          update stakes set deposited_amount = deposited_amount + case pda when ${keyOf('stake moving 1')} then 1 else -1 end
          where pda in (${keyOf('stake moving 1')}, ${keyOf(`stake moving ${2 + (i % 10)}`)})`.execute(work)
      })
    writing.isDone = true
  })()
  while (!writing.isDone) {
    const page = await agents[0]!.list({ tier: 'basic', limit: 200 })
    expect([page.total, page.rows.length]).toEqual([20, 20])
    expect(page.rows.every(({ tier }) => tier === 'basic')).toBe(true)
    const { byTier, depositedAmount } = await stats.stats(true)
    expect([byTier.find(({ tier }) => tier === 'premium')?.agents, depositedAmount]).toEqual([20, '400'])
    const amounts = (await stakes.list({ limit: 200 })).rows.map((each) => Number(each.depositedAmount))
    expect(amounts.reduce((a, b) => a + b, 0)).toBe(400)
  }
  await writer
  expect(fromMemory).toBeGreaterThan(20)
})

test('aborted transactions and savepoints, deleted, inserted and renamed keys, and an emptied table', async () => {
  await insertAgents(kysely, ['one', 'two', 'three'])
  await expectSame()
  await kysely
    .transaction()
    .execute(async (work) => {
      await sql`delete from agents`.execute(work)
      throw new Error('undone')
    })
    .catch(() => undefined)
  await expectSame()
  await kysely.transaction().execute(async (work) => {
    await sql`delete from agents where pda = ${pdaOf('one')}`.execute(work)
    await insertAgents(work, [agentRow('one', { name: 'again' })])
    await sql`savepoint s`.execute(work)
    await sql`delete from agents where pda = ${pdaOf('two')}`.execute(work)
    await sql`rollback to savepoint s`.execute(work)
  })
  await expectSame()
  await sql`update agents set pda = ${pdaOf('four')} where pda = ${pdaOf('three')}`.execute(kysely)
  await expectSame()
  expect(await agents[0]!.lookUp(pdaOf('three'))).toBeNull()
  await sql`truncate agents`.execute(kysely)
  await expectSame()
  await insertAgents(kysely, ['five'])
  await expectSame()
})

test('rows that were restored without triggers are read again', async () => {
  await insertAgents(kysely, ['before'])
  await expectSame()
  await kysely.transaction().execute(async (work) => {
    await sql`alter table agents disable trigger all`.execute(work)
    await sql`truncate agents`.execute(work)
    await insertAgents(work, ['restored'])
    await sql`update agents set search_xid = null`.execute(work)
    await sql`alter table agents enable trigger all`.execute(work)
  })
  await expectSame()
  expect(await agents[0]!.lookUp(pdaOf('before'))).toBeNull()
  // `enable trigger` forgets `always`.
  for (const trigger of [
    'record_search_insert',
    'record_search_update',
    'record_removed_agents',
    'record_truncated_agents',
  ])
    await sql`alter table agents enable always trigger ${sql.ref(trigger)}`.execute(kysely)
})

test('more changes than a read applies: PostgreSQL answers until they are applied', async () => {
  const many = Array.from({ length: 300 }, (_, i) => agentRow(`many ${i}`))
  await insertAgents(kysely, many)
  await expectSame()
  expect(fromMemory).toBe(0)
  await eventually(() => expect(registries.map((each) => each.status().ready)).toEqual([true, true]))
  await expectSame()
  expect(fromMemory).toBe(2)
})

test('reads continue while connections are lost, and return to memory', async () => {
  await insertAgents(kysely, ['Kestrel'])
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where pid <> pg_backend_pid() and datname = current_database()`.execute(kysely)
  await eventually(expectSame)
  await eventually(async () => {
    fromMemory = 0
    await expectSame()
    expect(fromMemory).toBe(2)
  })
})

test('a fence that fails or answers late is not used, and a later one is', async () => {
  const query = await openRowReads(database.orm)
  await insertAgents(kysely, [agentRow('slow', { name: 'before' })])
  let delayed: Promise<void> | null = null
  let failure: Error | null = null
  const registry = await createTestRegistry(database, {
    query: async (text, values) => {
      const rows = await query(text, values)
      if (failure !== null) throw failure
      if (delayed !== null) await delayed
      return rows
    },
  })
  const reads = createAgentReads(database.orm.em.getKysely(), { registry })
  const name = async () => (await reads.get(pdaOf('slow'))).name
  expect(await name()).toBe('before')
  failure = new Error('lost')
  expect(await name()).toBe('before')
  expect(registry.status().ready).toBe(false)
  failure = null
  await eventually(() => expect(registry.status().ready).toBe(true))
  const late = Promise.withResolvers<void>()
  delayed = late.promise
  const waiting = name()
  await sql`update agents set name = 'after' where pda = ${pdaOf('slow')}`.execute(kysely)
  // The time limit of the fence.
  expect(await waiting).toBe('after')
  delayed = null
  late.resolve()
  await eventually(() => expect(registry.status().ready).toBe(true))
  expect(await name()).toBe('after')
  await registry.stop()
})

test('an update that hangs delays no later one, and does not mix two moments when it ends', async () => {
  await insertAgents(kysely, [agentRow('a', { version: '0' }), agentRow('b', { version: '0' })])
  const query = await openRowReads(database.orm)
  const isHeld = Promise.withResolvers<void>()
  const mayReturn = Promise.withResolvers<void>()
  let holds = true
  let registry: Registry | null = null
  registry = await createTestRegistry(database, {
    query: async (text, values) => {
      const rows = await query(text, values)
      if (text.includes('lateral') && registry?.status().ready && holds) {
        holds = false
        isHeld.resolve()
        await mayReturn.promise
      }
      return rows
    },
  })
  const reads = createAgentReads(database.orm.em.getKysely(), { registry })
  const versions = async () =>
    (await reads.list({ sort: 'name', order: 'asc' })).rows.map((row) => row.version)
  await sql`update agents set version = '1' where pda = ${pdaOf('a')}`.execute(kysely)
  const early = versions()
  await isHeld.promise
  await sql`update agents set version = '2'`.execute(kysely)
  expect(await versions()).toEqual(['2', '2'])
  await eventually(() => expect(registry.status().ready).toBe(true))
  await sql`update agents set version = '3'`.execute(kysely)
  expect(await versions()).toEqual(['3', '3'])
  expect(registry.status().ready).toBe(true)
  mayReturn.resolve()
  // Answered by PostgreSQL, when it had waited long enough.
  expect(await early).toEqual(['2', '2'])
  expect(await versions()).toEqual(['3', '3'])
  await registry.stop()
})

test('a copy that needs too much memory is dropped', async () => {
  await insertAgents(kysely, ['one', 'two'])
  const registry = await createTestRegistry(database, { maxBytes: 2_000 })
  const reads = createAgentReads(database.orm.em.getKysely(), { registry })
  await insertAgents(
    kysely,
    Array.from({ length: 20 }, (_, i) => `more ${i}`),
  )
  await eventually(() => expect(registry.status()).toMatchObject({ ready: false, agents: 0, bytes: 0 }))
  expect((await reads.list({})).total).toBe(22)
  await registry.stop()
})
