import { type Kysely, sql } from 'kysely'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import * as fc from '../../support/property.ts'
import { CopyData, copyIn, copyText } from '../../../src/db/copy-in.ts'
import { knownError } from '../../../src/domain/known-error.ts'
import { openOrm } from '../../../src/db/orm.ts'
import { useTestDatabase } from '../../support/database.ts'

const database = useTestDatabase()
beforeAll(async () => {
  await sql`create table copied (id int primary key, t text, n bigint, a text[])`.execute(kysely())
  await sql`create table also_copied (id int primary key)`.execute(kysely())
})

const kysely = (): Kysely<never> => database.orm.em.fork().getKysely()
const COLUMNS = ['id', 't', 'n', 'a'] as const
const COPY = `copy copied (${COLUMNS.join(', ')}) from stdin; copy also_copied (id) from stdin`

const text = fc
  .string({
    unit: fc.constantFrom('a', '\\', '\t', '\n', '\r', '"', "'", '{', ',', 'é', '\u{1f600}', 'N', '.', ' '),
  })
  .map((value) => (value.length > 6 ? value : `\\${value}`))
const row = fc.record({
  t: fc.option(text),
  n: fc.option(fc.maxSafeInteger()),
  a: fc.option(fc.array(text, { maxLength: 3 })),
})

test('any text, numbers and lists are stored exactly, in chunks of any size', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(row, { maxLength: 3 }), { maxLength: 4 }), async (pieces) => {
      await sql`truncate copied, also_copied`.execute(kysely())
      let id = 0
      const rows = pieces.map((piece) => piece.map((each) => ({ id: id++, ...each })))
      const ids = copyText(rows.flat(), ['id'])
      await copyIn(kysely(), COPY, new CopyData([rows.map((each) => copyText(each, COLUMNS)), [ids]]))
      const copied = await sql`select * from copied order by id`.execute(kysely())
      expect(copied.rows).toEqual(rows.flat())
      const also = await sql<{ id: number }>`select id from also_copied order by id`.execute(kysely())
      expect(also.rows.map((each) => each.id)).toEqual(rows.flat().map((each) => each.id))
    }),
    { numRuns: 60 },
  )
})

const rowsOf = (...ids: number[]): Buffer[] => [Buffer.from(ids.map((id) => `${id}\n`).join(''))]

test.each([
  [
    'the first statement',
    'copy also_copied (id) from stdin; copy copied (id) from stdin',
    [rowsOf(1, 1), rowsOf(2)],
  ],
  [
    'the last statement',
    'copy also_copied (id) from stdin; copy copied (id) from stdin',
    [rowsOf(1), rowsOf(2, 2)],
  ],
])('if %s fails, none has an effect, and the connection is usable', async (_, statements, tables) => {
  await sql`truncate copied, also_copied`.execute(kysely())
  const orm = await openOrm(database.connection, { poolSize: 1 })
  onTestFinished(() => orm.close())
  const one = orm.em.fork().getKysely<never>()
  await expect(copyIn(one, statements, new CopyData(tables))).rejects.toMatchObject({ code: '23505' })
  const { rows } = await sql`select count(*) as count from also_copied`.execute(one)
  expect(rows).toEqual([{ count: 0 }])
  await copyIn(one, statements, new CopyData([rowsOf(1), rowsOf(2)]))
})

test('an unknown table and a lost connection are reported', async () => {
  await expect(
    copyIn(kysely(), 'copy nothing (id) from stdin', new CopyData([rowsOf(1)])),
  ).rejects.toMatchObject({ code: '42P01' })
  const orm = await openOrm(database.connection, { poolSize: 1 })
  const other = kysely()
  onTestFinished(() => orm.close())
  const cut = orm.em.fork().transactional(async (em) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(em.getKysely())
    await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(other)
    await copyIn(em.getKysely<never>(), COPY, new CopyData([[], []]))
  })
  await expect(cut).rejects.toSatisfy((error) => knownError(error)?.code === 'DATABASE_UNAVAILABLE')
})
