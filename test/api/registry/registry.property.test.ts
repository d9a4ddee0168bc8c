import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { agentRow, insertAgents, insertStakes, keyOf, stakeRow } from '../../support/factories.ts'
import * as fc from '../../support/property.ts'
import { createRegistryWorld, reads, type RegistryWorld, writes } from '../../support/registry-world.ts'
import { agentChanges } from '../../support/search-cases.ts'

/** REGISTRY_RUNS=500 npm test -- test/api/registry */
const RUNS = Number(process.env.REGISTRY_RUNS ?? 25)

let database: TestDatabase
let world: RegistryWorld
beforeAll(async () => {
  database = await createTestDatabase()
  const kysely = database.orm.em.getKysely()
  const agents = fc.sample(agentChanges, { seed: 9, numRuns: 50 })
  await insertAgents(
    kysely,
    agents.map((changes, i) => ({ ...agentRow(`agent ${i}`), ...changes, owner: keyOf(`owner ${i % 9}`) })),
  )
  await insertStakes(
    kysely,
    agents.slice(0, 30).map((_, i) => stakeRow(`agent ${i}`, { owner: keyOf(`owner ${i % 9}`) })),
  )
  world = await createRegistryWorld(database.orm)
})
afterAll(async () => {
  await world.close()
  await database.drop()
})

test('reads from memory equal reads from PostgreSQL after each write', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(writes, fc.array(reads, { minLength: 1, maxLength: 5 })), {
        minLength: 4,
        maxLength: 12,
      }),
      async (steps) => {
        for (const [write, after] of steps) {
          await world.write(write)
          for (const read of after) await world.compare(read)
        }
      },
    ),
    // Each run continues from the state of the last one, so shrinking is useless.
    { numRuns: RUNS, endOnFailure: true },
  )
  const { memory, all } = world.counts
  expect(all).toBeGreaterThan(RUNS * 10)
  expect(memory / all).toBeGreaterThan(0.9)
})
