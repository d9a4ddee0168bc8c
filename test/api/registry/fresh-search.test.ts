import * as fc from '../../support/property.ts'
import { type Kysely, sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { conditionsOf } from '../../../src/registry/agents/agent-filter.ts'
import { createAgentReads } from '../../../src/registry/agents/agent-reads.ts'
import type { Database } from '../../../src/db/database.ts'
import { PDA } from '../../../src/registry/sort-order.ts'
import { AGENTS, type AgentsCopy } from '../../../src/registry/agents-copy.ts'
import { databaseReader, type Registry } from '../../../src/registry/registry.ts'
import type { NameQuery } from '../../../src/registry/search/name-index.ts'
import { NameThread } from '../../../src/registry/search/name-thread.ts'
import { asciiTrigrams } from '../../../src/registry/search/trigrams.ts'
import { createTestApp, type TestApp, useTestApp } from '../../support/app.ts'
import { useTestDatabase } from '../../support/database.ts'
import { eventually } from '../../support/eventually.ts'
import { agentRow, insertAgents, keyOf } from '../../support/factories.ts'
import { post } from '../../support/graphql.ts'
import { countReads, createTestRegistry } from '../../support/registry.ts'
import { AGENT_VALUES, agentOf } from '../../support/search-cases.ts'

interface Answer {
  total: number
  agents: { pda: string; name: string; name_similarity: number }[]
}

const database = useTestDatabase()
let kysely: Kysely<Database>
const registries: Registry[] = []
/** Two replicas that search in memory, and one that does not. */
let replicas: TestApp[]
const plain = useTestApp(() => ({ database, registry: databaseReader }))
beforeAll(async () => {
  kysely = database.orm.em.getKysely()
  for (let i = 0; i < 2; i++) registries.push(await createTestRegistry(database, { minNames: 0 }))
  replicas = await Promise.all(registries.map((registry) => createTestApp({ database, registry })))
})
afterAll(async () => {
  for (const each of [...replicas, plain]) await each.close()
  for (const each of registries) await each.stop()
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

const failed = () => {
  throw new Error('PostgreSQL was asked')
}

const pdaOf = (label: string) => keyOf(`agent ${label}`)
const labels = fc.constantFrom(...Array.from({ length: 12 }, (_, i) => `label ${i}`))
/** Few names, so that all occur in few runs. */
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
  await insertAgents(kysely, ['late one', 'later one'])
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

test('a search shows the agents of the moment at which it began', async () => {
  await insertAgents(kysely, ['Osprey', 'Osprey 2', 'Osprey 3'])
  const registry = await createTestRegistry(database, { minNames: 0 })
  const columns = sql.raw(AGENTS.columns.join(', '))
  const { rows } = await sql<{ values: string[] }>`
    select array[${columns}] as values from agents where name like 'Osprey%' order by name`.execute(kysely)
  const changed = (values: readonly string[], pda: string, name = values[AGENTS.orders.name.field]!) =>
    values.with(PDA, pda).with(AGENTS.orders.name.field, name)
  const [osprey, second] = rows.map(({ values }) => ({ pda: values[PDA]!, values }))
  const renamed = changed(osprey!.values, osprey!.pda, 'Falcon')
  const added = changed(second!.values, keyOf('later'), 'Osprey 4')
  const search = (agents: AgentsCopy) =>
    agents.search(asciiTrigrams('osprey'), conditionsOf({}), {
      sort: 'name',
      by: 'name',
      descending: false,
      after: null,
      before: null,
      backward: false,
      offset: 0,
      limit: 10,
    })
  const namesAfter = async (change: (agents: AgentsCopy) => void) => {
    const found = await registry.read(({ agents }) => {
      const answer = search(agents)
      change(agents)
      return answer
    }, failed)
    return [found.total, ...found.rows.map(({ name }) => name)]
  }
  const all = [3, 'Osprey', 'Osprey 2', 'Osprey 3']
  expect(
    await namesAfter((agents) => {
      agents.apply({ table: 0, pda: osprey!.pda, values: renamed })
      agents.apply({ table: 0, pda: second!.pda, values: null })
      // In the slot of the one before.
      agents.apply({ table: 0, pda: keyOf('later'), values: added })
      agents.apply({
        table: 0,
        pda: keyOf('later'),
        values: changed(osprey!.values, keyOf('later')),
      })
    }),
  ).toEqual(all)
  expect(await namesAfter(() => undefined)).toEqual([2, 'Osprey', 'Osprey 3'])
  await registry.stop()
})

test('a search with filters that are null is the search without them', async () => {
  await insertAgents(kysely, ['Goshawk'])
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
  await insertAgents(kysely, ['restored 1', 'restored 2'])
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

test('PostgreSQL searches while the thread is not there, and another one is started', async () => {
  await insertAgents(kysely, ['Kestrel'])
  const registry = await createTestRegistry(database, { minNames: 0 })
  const counted = countReads(registry)
  const reads = createAgentReads(database.orm.em.getKysely(), { registry: counted })
  const search = async () => [(await reads.list({ name: 'kestrel' })).total, counted.counts.memory]
  expect(await search()).toEqual([1, 1])
  const threadOf = () => registry.read(({ agents }) => ({ thread: agents.names! }), failed)
  const { thread } = await threadOf()
  // It throws, which ends it.
  expect(await thread.search({} as NameQuery, failed)).toBeUndefined()
  expect(await search()).toEqual([1, 1])
  await eventually(() => expect(registry.status().searches).toBe(true))
  await registry.stop()
})

test('a thread that does not answer is not alive', async () => {
  const none = { size: 0, slots: 0, capacity: 1, named: () => null, names: null }
  const thread = new NameThread(none, pino({ level: 'silent' }))
  await thread.fill()
  expect(thread.isAlive).toBe(true)
  thread.changed(0)
  thread.flush()
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 11_000)
  expect(thread.isAlive).toBe(false)
  now.mockRestore()
  await thread.stop()
})

test('PostgreSQL searches if agents and names need more than the limit', async () => {
  await insertAgents(kysely, ['Merlin'])
  // A thread needs at least 3 MB.
  const registry = await createTestRegistry(database, { maxBytes: 2 ** 20, minNames: 0 })
  await eventually(() => expect(registry.status()).toMatchObject({ ready: true, searches: false }))
  await registry.stop()
})
