import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { createReadVersions } from '../../../src/db/read-versions/read-versions.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import {
  agentRow,
  insertAgents,
  insertHistory,
  insertStakes,
  keyOf,
  stakeRow,
} from '../../support/factories.ts'
import type { ReadTables } from '../../../src/domain/read-versions.ts'

let database: TestDatabase
let kysely: Kysely<Database>
beforeAll(async () => {
  database = await createTestDatabase()
  kysely = database.orm.em.getKysely()
})
afterAll(() => database.drop())

const versions = async () => (await createReadVersions(kysely).current())!

/** The groups whose version differs after `change`. */
async function changedBy(change: () => Promise<unknown>): Promise<ReadTables[]> {
  const before = await versions()
  await change()
  const after = await versions()
  return (Object.keys(after) as ReadTables[]).filter((each) => before[each] !== after[each]).sort()
}

const run = (statement: string) => () => sql.raw(statement).execute(kysely)

describe('changes that give a group a new version', () => {
  test.each<[string, () => Promise<unknown>, ReadTables[]]>([
    ['an agent', () => insertAgents(kysely, [agentRow('A'), agentRow('B')]), ['agents']],
    [
      'an agent by upsert',
      run('insert into agents select * from agents on conflict (pda) do update set slot = 7'),
      ['agents'],
    ],
    [
      'an upsert that touches no row',
      run('insert into agents select * from agents on conflict (pda) do nothing'),
      [],
    ],
    ['a hand edit', run(`update agents set name = 'C'`), ['agents']],
    ['an edit of no row', run(`update agents set name = 'C' where pda = ''`), []],
    ['a count edited by hand', run('update agent_counts set count = 3'), ['agents']],
    ['a stake', () => insertStakes(kysely, [stakeRow('A')]), ['stakes']],
    ['a history entry', () => insertHistory(kysely, 'A', [{}, {}]), ['history']],
    ['no history entry left', run('delete from agent_history'), ['history']],
    ['another table', run('delete from rate_limits'), []],
    ['no stake left', run('delete from stakes'), ['stakes']],
    ['deletion of no row', run('delete from stakes'), []],
    [
      'truncation, also of nothing',
      run('truncate stakes, agent_history, agents'),
      ['agents', 'history', 'stakes'],
    ],
  ])('%s', async (_, change, expected) => {
    expect(await changedBy(change)).toEqual(expected)
  })

  test.each<[ReadTables, string]>([
    [
      'agents',
      `insert into public.agents select (jsonb_populate_record(a, '{"pda": "replicated"}')).* from public.agents a limit 1`,
    ],
    ['agents', 'update public.agents set slot = slot + 1'],
    ['agents', 'update public.agent_counts set count = count + 1'],
    ['stakes', 'truncate public.stakes'],
    ['history', 'truncate public.agent_history'],
    ['agents', `delete from public.agents where pda = 'replicated'`],
  ])('%s as a replica of another server writes: %s', async (group, statement) => {
    await insertAgents(kysely, [agentRow(`for ${statement}`)])
    const changed = await changedBy(() =>
      kysely.transaction().execute(async (work) => {
        await sql`set local session_replication_role = replica`.execute(work)
        // As PostgreSQL's apply worker does.
        await sql`set local search_path = ''`.execute(work)
        await sql.raw(statement).execute(work)
      }),
    )
    expect(changed).toEqual([group])
  })

  test('rolling back a savepoint removes its version, and the next change is recorded again', async () => {
    const changed = await changedBy(() =>
      kysely.transaction().execute(async (work) => {
        await sql`savepoint before`.execute(work)
        await insertAgents(work, [agentRow('undone')])
        await sql`rollback to savepoint before`.execute(work)
        await insertAgents(work, [agentRow('done')])
      }),
    )
    expect(changed).toEqual(['agents'])
  })

  test('a transaction that is rolled back changes nothing', async () => {
    const undone = () =>
      kysely.transaction().execute(async (work) => {
        await insertAgents(work, [agentRow('never')])
        throw new Error('no')
      })
    expect(await changedBy(() => expect(undone()).rejects.toThrow('no'))).toEqual([])
  })
})

test("a writer never waits for another writer's version", async () => {
  await insertAgents(kysely, [agentRow('held'), agentRow('free')])
  const before = (await versions()).agents
  await kysely.transaction().execute(async (long) => {
    await sql`update agents set slot = 1 where pda = ${keyOf('agent held')}`.execute(long)
    await kysely.transaction().execute(async (short) => {
      await sql`set local lock_timeout = '1s'`.execute(short)
      await sql`update agents set slot = 2 where pda = ${keyOf('agent free')}`.execute(short)
    })
    const between = (await versions()).agents
    expect(between).not.toBe(before)
  })
})

test('a transaction is recorded once, with any number of statements', async () => {
  await kysely.transaction().execute(async (work) => {
    const written = async () =>
      (await sql`select ctid, xmin from read_versions where table_group = 'agents' order by id`.execute(work))
        .rows
    await insertAgents(work, [agentRow('first')])
    const once = await written()
    await insertAgents(work, [agentRow('second')])
    expect(await written()).toEqual(once)
  })
})

test('two states of the tables never have the same version, even with overlapping writers', async () => {
  const writers = 6
  const rounds = 40
  const rows = Array.from({ length: 4 }, (_, i) => agentRow(`shared ${i}`))
  await insertAgents(kysely, rows)
  const seen = new Map<string, string>()
  const writing = new AbortController()
  const watch = async (): Promise<void> => {
    while (!writing.signal.aborted) {
      const { rows: found } = await sql<{ state: string; version: string }>`
        select (select string_agg(pda || slot, ',' order by pda) from agents) as state,
          (select string_agg(transaction_id::text, ' ' order by id) from read_versions where table_group = 'agents') as version
      `.execute(kysely)
      const { state, version } = found[0]!
      expect(seen.get(version) ?? state).toBe(state)
      seen.set(version, state)
    }
  }
  const watching = Promise.all([watch(), watch()])
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let round = 0; round < rounds; round += 1) {
        const { pda } = rows[(writer + round) % rows.length]!
        await kysely.transaction().execute(async (work) => {
          await sql`update agents set slot = slot + 1 where pda = ${pda}`.execute(work)
          if (round % 5 === 0) await sql`select pg_sleep(0.002)`.execute(work)
        })
      }
    }),
  )
  writing.abort()
  await watching
  expect(seen.size).toBeGreaterThan(rounds)
  const { rows: places } = await sql`select from read_versions where table_group = 'agents'`.execute(kysely)
  expect(places.length).toBeLessThanOrEqual(writers + 1)
})

test('two writers of agents and stakes do not deadlock, in any order of tables', async () => {
  await insertStakes(kysely, [stakeRow('shared 0'), stakeRow('shared 1')])
  const agent = (i: number) =>
    sql`update agents set slot = slot + 1 where pda = ${keyOf(`agent shared ${i}`)}`
  const stake = (i: number) =>
    sql`update stakes set slot = slot + 1 where pda = ${keyOf(`stake shared ${i}`)}`
  // The transactions write different rows, in opposite orders of tables. Only the version rows
  // could make one wait for the other.
  const write = async (order: readonly ReturnType<typeof agent>[]): Promise<void> => {
    for (let round = 0; round < 100; round += 1)
      await kysely.transaction().execute(async (work) => {
        await sql`set local lock_timeout = '2s'`.execute(work)
        for (const each of order) await each.execute(work)
      })
  }
  await Promise.all([write([agent(0), stake(0)]), write([stake(1), agent(1)])])
  const { rows } =
    await sql`select slot from stakes where pda = any(${[0, 1].map((i) => keyOf(`stake shared ${i}`))})`.execute(
      kysely,
    )
  expect(rows).toEqual([{ slot: 200 }, { slot: 200 }])
})

test('callers before a read starts share it, and later callers do not', async () => {
  const readVersions = createReadVersions(kysely)
  const first = (await readVersions.current())!
  const early = [readVersions.current(), readVersions.current()]
  await insertAgents(kysely, [agentRow('between')])
  const late = (await readVersions.current())!
  const [one, other] = await Promise.all(early)
  expect(one).toBe(other)
  expect(late.agents).not.toBe(first.agents)
  expect(late.stakes).toBe(first.stakes)
  expect(readVersions.latest()).toBe(late)
  expect(await readVersions.current()).toBe(late)
})
