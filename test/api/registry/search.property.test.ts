import * as fc from '../../support/property.ts'
import { beforeAll, expect, test } from 'vitest'
import { asciiTrigrams, shownTrigrams } from '../../../src/registry/search/trigrams.ts'
import { sql } from 'kysely'
import { insertAgents } from '../../support/factories.ts'
import { agentChanges, agentOf, pages, searches } from '../../support/search-cases.ts'
import { createSearchWorld, expectSameConnection, expectSamePage } from './search-world.ts'
import { perFile } from '../../support/lifetime.ts'

/** SEARCH_CASES=5000 npm test -- test/api/search */
const CASES = Number(process.env.SEARCH_CASES ?? 150)

const world = perFile(() => createSearchWorld())
beforeAll(async () => {
  const agents = fc.sample(agentChanges, { seed: 5, numRuns: 400 })
  await insertAgents(
    world.database.orm.em.getKysely(),
    agents.map((changes, i) => agentOf(String(i), changes)),
  )
})

test('a search in memory equals the search in PostgreSQL: rows, similarity, order and total', async () => {
  const before = world.answered()
  await fc.assert(
    fc.asyncProperty(searches, pages, async (filter, page) => expectSamePage(world, { ...filter, ...page })),
    { numRuns: CASES },
  )
  expect(world.answered() - before).toBeGreaterThan(CASES * 0.8)
})

test('the same holds for connections, forward, backward and after a cursor', async () => {
  expect.hasAssertions()
  await fc.assert(
    fc.asyncProperty(searches, fc.integer({ min: 1, max: 20 }), (filter, size) =>
      expectSameConnection(world, filter, size),
    ),
    { numRuns: Math.ceil(CASES / 2) },
  )
})

test.each(['active', 'suspended', 'deactivated', 'inactive'] as const)(
  'a search in memory finds agents that are %s',
  async (status) => {
    const filter = { name: 'Weather', status }
    await expectSamePage(world, filter)
    const expected = status === 'inactive' ? ['suspended', 'deactivated'] : [status]
    const { rows } = await world.memory.list({ ...filter, limit: 200 })
    expect(new Set(rows.map((row) => row.status))).toEqual(new Set(expected))
  },
)

test('trigrams of ASCII text are those of pg_trgm', async () => {
  const texts = fc.sample(fc.string({ unit: 'binary-ascii', maxLength: 40 }), { seed: 3, numRuns: 300 })
  const given = texts.map((text) => text.replaceAll('\0', ''))
  const { rows } = await sql<{ shown: string[] }>`
    select show_trgm(text) as shown from unnest(${given}::text[]) with ordinality as given (text, n)
    order by n`.execute(world.database.orm.em.getKysely())
  const sorted = (trigrams: number[]) => trigrams.toSorted((one, other) => one - other)
  for (const [i, { shown }] of rows.entries())
    expect([given[i], sorted(asciiTrigrams(given[i] ?? ''))]).toEqual([
      given[i],
      sorted(shownTrigrams(shown)),
    ])
})
