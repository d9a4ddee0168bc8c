import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { compareMany, createFilledWorld, type RegistryWorld } from '../../support/registry-world.ts'

/** `test/long/registry.long.ts` has more. */
const RUNS = 25

let database: TestDatabase
let world: RegistryWorld
beforeAll(async () => {
  database = await createTestDatabase()
  world = await createFilledWorld(database)
})
afterAll(async () => {
  await world.close()
  await database.drop()
})

test('reads from memory equal reads from PostgreSQL after each write', async () => {
  await compareMany(world, RUNS)
  const { memory, all } = world.counts
  expect(all).toBeGreaterThan(RUNS * 10)
  expect(memory / all).toBeGreaterThan(0.8)
})
