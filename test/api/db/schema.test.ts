import { sql } from 'kysely'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { openOrm } from '../../../src/db/orm.ts'
import { createDatabase, dropDatabase, connectionTo } from '../../support/database-server.ts'
import { describeSchema } from '../../support/describe-schema.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('the entities describe the columns, indexes and constraints of the migrated database', async () => {
  const server = inject('databaseServer')
  const name = `gateway_entities_${process.pid}`
  await createDatabase(server, name)
  const fromEntities = await openOrm(connectionTo(server, name))
  try {
    await sql`create extension pg_trgm`.execute(fromEntities.em.getKysely())
    await fromEntities.schema.create()
    const { columns, indexes, constraints } = await describeSchema(fromEntities.em.getKysely())
    const migrated = await describeSchema(database.orm.em.getKysely())
    expect(columns).toEqual(migrated.columns)
    expect(indexes).toEqual(migrated.indexes)
    expect(constraints).toEqual(migrated.constraints)
  } finally {
    await fromEntities.close()
    await dropDatabase(server, name)
  }
})
