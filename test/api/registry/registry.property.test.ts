import { expect, test } from 'vitest'
import { useTestDatabase } from '../../support/database.ts'
import { compareMany, createFilledWorld } from '../../support/registry-world.ts'
import { perFile } from '../../support/lifetime.ts'

/** `test/long/registry.long.ts` has more. */
const RUNS = 25

const database = useTestDatabase()
const world = perFile(() => createFilledWorld(database))

test('reads from memory equal reads from PostgreSQL after each write', async () => {
  await compareMany(world, RUNS)
  const { memory, all } = world.counts
  expect(all).toBeGreaterThan(RUNS * 10)
  expect(memory / all).toBeGreaterThan(0.8)
})
