import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openReads } from '../../../src/db/reads.ts'
import type { Database } from '../../../src/db/database.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

let database: TestDatabase
let reads: Kysely<Database>
beforeAll(async () => {
  database = await createTestDatabase()
  reads = await openReads(database.orm)
})
afterAll(() => database.drop())

test('statements run on the connections of the ORM, prepared by name', async () => {
  const { rows } = await sql<{ zone: string; count: number }>`
    select current_setting('TimeZone') as zone, ${2}::int8 as count`.execute(reads)
  expect(rows).toEqual([{ zone: 'UTC', count: 2 }])
  const pool = await database.orm.em.getConnection().getNativeClient()
  expect(pool.idleCount).toBe(pool.totalCount)
  const prepared = await pool.query(
    "select 1 from pg_prepared_statements where statement like '%current_setting%'",
  )
  expect(prepared.rows).toHaveLength(1)
})

test('a statement that fails says why and keeps no connection', async () => {
  await expect(sql`select 1 / ${0}::int`.execute(reads)).rejects.toMatchObject({ code: '22012' })
  const many = Array.from({ length: 30 }, (_, i) => sql<{ i: number }>`select ${i}::int as i`.execute(reads))
  expect((await Promise.all(many)).map(({ rows }) => rows[0]?.i)).toEqual(many.map((_, i) => i))
})

test('transactions and streams are refused', async () => {
  await expect(reads.transaction().execute(async () => undefined)).rejects.toThrow(
    'Reads have no transactions',
  )
  const stream = reads.selectFrom('agents').select('pda').stream()
  await expect(stream.next()).rejects.toThrow('Reads have no streams')
})
