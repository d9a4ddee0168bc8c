import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createWorkerSession } from '../../../src/webhooks/worker/session.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { eventually } from '../../support/eventually.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const backends = async (): Promise<number[]> => {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity where datname = current_database() and query ~ '^listen|of_the_session'
      and pid <> pg_backend_pid()`.execute(database.orm.em.getKysely())
  return rows.map(({ pid }) => pid)
}

test('a session whose connection is lost again and again has one at a time, and none after it was closed', async () => {
  const ask = () => session.query('ask', sql<{ one: number }>`select 1 as of_the_session`)
  // As the worker does: whatever happens to the connection, it looks again at once.
  const session = createWorkerSession({
    orm: database.orm,
    kysely: database.orm.em.getKysely(),
    onAnnouncement: () => void ask().catch(() => undefined),
  })
  await ask()
  for (let round = 0; round < 10; round += 1) {
    const [pid] = await backends()
    await sql`select pg_terminate_backend(${pid})`.execute(database.orm.em.getKysely())
    await eventually(async () => {
      await ask()
      expect(await backends()).not.toContain(pid)
    })
    expect(await backends()).toHaveLength(1)
  }
  await session.close()
  await eventually(async () => expect(await backends()).toEqual([]))
})
