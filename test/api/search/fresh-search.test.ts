import * as fc from '../../support/property.ts'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgentReads } from '../../../src/agents/agent-reads.ts'
import type { SearchIndex } from '../../../src/agents/search-index/search-index.ts'
import type { Database } from '../../../src/db/database.ts'
import { openReads } from '../../../src/db/reads.ts'
import { databaseReader } from '../../../src/registry/registry.ts'
import { createTestApp, type TestApp } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { eventually } from '../../support/eventually.ts'
import { agentRow, insertAgents, keyOf } from '../../support/factories.ts'
import { post } from '../../support/graphql.ts'
import { createTestIndex } from '../../support/search.ts'
import { AGENT_VALUES, agentOf } from '../../support/search-cases.ts'
import { recordStatements } from '../../support/statements.ts'

interface Answer {
  total: number
  agents: { pda: string; name: string; name_similarity: number }[]
}

const statements = recordStatements()
let database: TestDatabase
let kysely: Kysely<Database>
const indexes: SearchIndex[] = []
/** Two replicas with an index, and one without. */
let replicas: TestApp[]
let plain: TestApp
beforeAll(async () => {
  database = await createTestDatabase()
  kysely = database.orm.em.getKysely()
  for (let i = 0; i < 2; i++) indexes.push(await createTestIndex(database))
  replicas = await Promise.all(
    indexes.map((searchIndex) => createTestApp({ database, searchIndex, registry: databaseReader })),
  )
  plain = await createTestApp({ database, registry: databaseReader })
})
afterAll(async () => {
  for (const each of [...replicas, plain]) await each.close()
  for (const each of indexes) await each.stop()
  await database.drop()
})

async function search({ app }: TestApp, name: string, limit = 200): Promise<Answer> {
  const response = await app.inject({ url: '/agents', query: { name, limit: String(limit) } })
  return response.json<Answer>()
}

/** Searches on all replicas at once. */
async function expectSame(name: string): Promise<Answer> {
  const [expected, ...found] = await Promise.all([plain, ...replicas].map((each) => search(each, name)))
  for (const answer of found) expect(answer).toEqual(expected)
  return expected!
}

const pdaOf = (label: string) => keyOf(`agent ${label}`)
const labels = fc.constantFrom(...Array.from({ length: 12 }, (_, i) => `label ${i}`))
/** Few names, so that all occur in few runs. The property of the index has many. */
const names = fc.constantFrom(
  'Weather Scout',
  'wether',
  'Почта 9',
  'ﬁnance',
  'We\u0301tter',
  '天気予報',
  '--',
)
const changes = fc.record({ ...AGENT_VALUES, name: names })
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('put' as const), label: labels, changes }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('close' as const), label: labels }) },
)

test('each replica finds a registration, a change and a closed agent right after the commit', async () => {
  expect.hasAssertions()
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(step, names), { minLength: 1, maxLength: 12 }), async (steps) => {
      for (const [work, name] of steps) {
        if (work.kind === 'close')
          await sql`delete from agents where pda = ${pdaOf(work.label)}`.execute(kysely)
        else
          await kysely
            .insertInto('agents')
            .values(agentOf(work.label, work.changes))
            .onConflict((conflict) => conflict.column('pda').doUpdateSet(work.changes))
            .execute()
        await expectSame(work.kind === 'put' ? work.changes.name : name)
      }
    }),
    { seed: 4, numRuns: 12 },
  )
})

test('a transaction is found although one that began later was committed before it', async () => {
  await insertAgents(kysely, [agentRow('late one'), agentRow('later one')])
  const isOpen = Promise.withResolvers<void>()
  const mayCommit = Promise.withResolvers<void>()
  const rename = (work: Kysely<Database>, label: string, name: string) =>
    sql`update agents set name = ${name} where pda = ${pdaOf(label)}`.execute(work)
  const first = kysely.transaction().execute(async (work) => {
    await rename(work, 'late one', 'Commits Second')
    isOpen.resolve()
    await mayCommit.promise
  })
  await isOpen.promise
  await rename(kysely, 'later one', 'Commits First')
  expect((await expectSame('Commits First')).agents.map(({ name }) => name)).toEqual(['Commits First'])
  expect((await expectSame('Commits Second')).agents.map(({ name }) => name)).toEqual(['Commits First'])
  mayCommit.resolve()
  await first
  expect((await expectSame('Commits Second')).total).toBe(2)
})

test('the rows and the total are of one moment while agents change', async () => {
  await insertAgents(
    kysely,
    Array.from({ length: 40 }, (_, i) =>
      agentRow(`swap ${i}`, { name: i < 20 ? `Heron ${i}` : `Falcon ${i}` }),
    ),
  )
  const done = { searches: 0, writes: 0 }
  const isDone = () => done.searches >= 30 && done.writes > 30
  // Each transaction renames one agent each way, so there are always twenty of both.
  const writer = (async () => {
    for (; !isDone(); done.writes++) {
      await sql`
        with heron as (select pda from agents where name like 'Heron %' order by random() limit 1),
          falcon as (select pda from agents where name like 'Falcon %' order by random() limit 1)
        update agents set name = case when pda in (select pda from heron) then 'Falcon ' else 'Heron ' end || ${done.writes}
        where pda in (select pda from heron union select pda from falcon)`.execute(kysely)
    }
  })()
  for (; !isDone(); done.searches++) {
    const found = await search(replicas[done.searches % 2]!, 'heron')
    expect(found.total).toBe(20)
    expect(found.agents.map(({ name }) => name.split(' ')[0])).toEqual(Array(20).fill('Heron'))
  }
  await writer
})

test('the index alone answers a search, and is read again if an agent changed meanwhile', async () => {
  await insertAgents(kysely, [agentRow('Osprey')])
  const index = indexes[0]!
  const refreshed: boolean[] = []
  const search: SearchIndex['search'] = async (request) => {
    const found = await index.search(request)
    if (refreshed.push(request.refresh) === 1) await insertAgents(kysely, [agentRow('Osprey 2')])
    return found
  }
  const reads = createAgentReads(await openReads(database.orm), { index: { ...index, search } })
  expect((await reads.list({ name: 'osprey' })).total).toBe(2)
  expect(refreshed).toEqual([false, true])
  expect((await reads.listConnection({ name: 'osprey' })).edges).toHaveLength(2)
  const texts = statements.mock.calls.map(([statement]) => JSON.stringify(statement))
  expect(texts.filter((text) => text.includes('similarity('))).toHaveLength(3)
})

test('a search with filters that are null is the search without them', async () => {
  await insertAgents(kysely, [agentRow('Goshawk')])
  const filter = { name: 'goshawk', tier: null, tiers: null, statuses: null, categories: null, owner: null }
  for (const replica of [...replicas, plain])
    expect(
      await post(replica, 'query ($filter: AgentFilter) { agents(filter: $filter) { totalCount } }', {
        filter,
      }),
    ).toEqual({ data: { agents: { totalCount: 1 } } })
})

test('a truncated table and the transaction ids of a restored database are no problem', async () => {
  await sql`truncate agents`.execute(kysely)
  expect((await expectSame('heron')).total).toBe(0)
  await insertAgents(kysely, [agentRow('restored 1'), agentRow('restored 2')])
  expect((await expectSame('restored')).total).toBe(2)
  // As after a restore, which writes rows before it creates triggers.
  await kysely.transaction().execute(async (work) => {
    await sql`alter table agents disable trigger record_search_update`.execute(work)
    await sql`
      update agents set search_xid = (pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 3)::text::xid8`.execute(
      work,
    )
    await sql`alter table agents enable always trigger record_search_update`.execute(work)
  })
  for (let i = 0; i < 6; i++) {
    const name = `Restored ${'abcdef'[i]}`
    await sql`update agents set name = ${name} where pda = ${pdaOf('restored 1')}`.execute(kysely)
    expect((await expectSame(name)).agents[0]).toMatchObject({ name, name_similarity: 1 })
  }
})

test('searches continue while the index has no connection, and it returns', async () => {
  await insertAgents(kysely, [agentRow('Kestrel')])
  const terminated = await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'search-index' and datname = current_database()`.execute(kysely)
  expect(terminated.rows).toHaveLength(2)
  expect((await expectSame('kestrel')).total).toBe(1)
  await insertAgents(kysely, [agentRow('Kestrel 2')])
  expect((await expectSame('kestrel')).total).toBe(2)
  await eventually(() => expect(indexes.map((each) => each.status().ready)).toEqual([true, true]))
  expect((await expectSame('kestrel')).total).toBe(2)
})
