import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createWorkerConnection } from '../../../src/webhooks/worker-connection.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { eventually } from '../../support/eventually.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const backends = async (): Promise<number[]> => {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity where datname = current_database() and query ~ '^listen|^set enable|as one'
      and pid <> pg_backend_pid()`.execute(database.orm.em.getKysely())
  return rows.map(({ pid }) => pid)
}

test('a worker has one connection after each reconnect, and none after close', async () => {
  const ask = () => connection.query('ask', sql<{ one: number }>`select 1 as one`)
  // Like the worker, which polls again as soon as the connection is lost.
  const connection = createWorkerConnection({
    orm: database.orm,
    kysely: database.orm.em.getKysely(),
    onNotification: () => void ask().catch(() => undefined),
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
  await connection.close()
  await eventually(async () => expect(await backends()).toEqual([]))
})

test('a worker that stops while it connects leaves no connection', async () => {
  const kysely = database.orm.em.getKysely()
  const connection = createWorkerConnection({ orm: database.orm, kysely, onNotification: () => undefined })
  const closed = connection.query('ask', sql`select 1 as one`).catch(String)
  await connection.close()
  expect(await closed).toBe('Error: the worker connection is closed')
  await eventually(async () => expect(await backends()).toEqual([]))
})
