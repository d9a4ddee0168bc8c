import { beforeAll, expect, test } from 'vitest'
import type { AgentReads } from '../../../src/registry/agents/agent-reads.ts'
import { agentRow, insertAgents } from '../../support/factories.ts'
import { eventually } from '../../support/eventually.ts'
import { perFile } from '../../support/lifetime.ts'
import { createSearchWorld } from './search-world.ts'

const world = perFile(() => createSearchWorld())
const kysely = () => world.database.orm.em.getKysely()
const NAMES = ['Kestrel Auditor', 'Kestrel Scout Two', 'Weather Scout', 'Osprey Logistics', 'Falcon']
beforeAll(async () =>
  insertAgents(
    kysely(),
    NAMES.map((name, i) => agentRow(String(i), { name })),
  ),
)

const namesFor = async (reads: AgentReads, words: string): Promise<[string, number][]> => {
  const { rows } = await reads.list({ words })
  const found = rows.map(({ name, nameSimilarity }): [string, number] => [name, nameSimilarity ?? NaN])
  // Equal ones are in the order of their addresses.
  return found.toSorted(([a, one], [b, other]) => other - one || a.localeCompare(b))
}

test.each<[what: string, words: string, found: [string, number][]]>([
  [
    'a typing error',
    'kestral',
    [
      ['Kestrel Auditor', 0.625],
      ['Kestrel Scout Two', 0.625],
    ],
  ],
  ['one word of many', 'logistics', [['Osprey Logistics', 1]]],
  ['the beginning of a later word', 'audi', [['Kestrel Auditor', 0.8]]],
  [
    'all words, in any order, and the best one first',
    'scout kestrel',
    [
      ['Kestrel Scout Two', 1],
      ['Kestrel Auditor', 0.5714286],
    ],
  ],
  ['words that no name has', 'albatross', []],
  ['no letters', '--', []],
])('a search for words finds %s, in memory and in PostgreSQL', async (_, words, found) => {
  expect(await namesFor(world.memory, words)).toEqual(found)
  expect(await namesFor(world.direct, words)).toEqual(found)
})

test('name and words cannot be combined, and words have a length', async () => {
  await expect(world.direct.list({ name: 'a', words: 'b' })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    message: 'name and words cannot be combined',
  })
  for (const words of ['', 'x'.repeat(65)])
    await expect(world.direct.list({ words })).rejects.toMatchObject({ code: 'INVALID_TEXT' })
})

test('PostgreSQL compares no more than 1,000 names: no index helps it', async () => {
  await insertAgents(
    kysely(),
    Array.from({ length: 1_000 }, (_, i) => agentRow(`many ${i}`, { name: `Many ${i}` })),
  )
  const refused = { code: 'WORDS_NOT_READY', retryAfterSeconds: 10 }
  await expect(world.direct.list({ words: 'logistics' })).rejects.toMatchObject(refused)
  await expect(world.direct.listConnection({ words: 'logistics' })).rejects.toMatchObject(refused)
  await eventually(async () =>
    expect(await namesFor(world.memory, 'logistics')).toEqual([['Osprey Logistics', 1]]),
  )
})
