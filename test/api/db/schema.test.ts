import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { migrationsList } from '../../../src/db/migrations/index.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { openOrm } from '../../../src/db/orm.ts'
import { createDatabase, dropDatabase, connectionTo } from '../../support/database-server.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('entity metadata and migrated schema agree, triggers aside', async () => {
  const sql = await database.orm.schema.getUpdateSchemaSQL()
  const unexpected = sql
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('set names'))
    // The ORM writes triggers of its own shape only; agent-counts.test.ts and test/sponsorship prove ours by their effect.
    .filter(
      (line) =>
        !/^drop (trigger|function) if exists "((agents_)?(count_agents|queue_card_checks)_|(\w+_)?note_read_version|(prepared_transactions_)?sponsorship_follows)/.test(
          line,
        ),
    )
  expect(unexpected).toEqual([])
})

test('replicas that start together apply each migration once', async () => {
  const server = inject('databaseServer')
  const name = `gateway_migrate_${process.pid}`
  await createDatabase(server, name)
  const replicas = await Promise.all([1, 2, 3, 4].map(() => openOrm(connectionTo(server, name))))
  try {
    const applied = await Promise.all(replicas.map((orm) => migrate(orm)))
    expect(applied.flat().sort()).toEqual(migrationsList.map((each) => each.name))
    expect(await migrate(replicas[0]!)).toEqual([])
  } finally {
    await Promise.all(replicas.map((orm) => orm.close()))
    await dropDatabase(server, name)
  }
})
