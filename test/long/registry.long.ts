import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { compareMany, createFilledWorld, type RegistryWorld } from '../support/registry-world.ts'

const READS = 20_000
const RUNS = 100

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

test('20,000 reads from memory equal those from PostgreSQL', async () => {
  while (world.counts.memory < READS) await compareMany(world, RUNS)
  expect(world.counts.memory / world.counts.all).toBeGreaterThan(0.8)
})
