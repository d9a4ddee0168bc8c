import { once } from 'node:events'
import type { Socket } from 'node:net'
import { type Kysely, sql } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openOrm } from '../../../src/db/orm.ts'
import { openSession } from '../../../src/db/session.ts'
import type { Database } from '../../../src/db/database.ts'
import { isoTimestamp } from '../../../src/db/value-parsers.ts'
import { knownError } from '../../../src/domain/known-error.ts'
import { createTestDatabase } from '../../support/database.ts'
import { eventually } from '../../support/eventually.ts'
import { type SlowNetwork, slowNetwork } from '../../support/slow-network.ts'
import type { Orm } from '../../../src/db/orm-types.ts'
import { perFile } from '../../support/lifetime.ts'

const database = perFile(() => createTestDatabase())

const value = async (expression: ReturnType<typeof sql>): Promise<unknown> =>
  (await sql<{ value: unknown }>`select ${expression} as value`.execute(database.orm.em.getKysely())).rows[0]
    ?.value

test('values keep their precision and shape', async () => {
  expect(await value(sql`'2026-11-21 06:29:22.123456+02'::timestamptz`)).toBe('2026-11-21T04:29:22.123Z')
  expect(await value(sql`9007199254740991::int8`)).toBe(9007199254740991)
  expect(await value(sql`18446744073709551615::numeric(20,0)`)).toBe('18446744073709551615')
  expect(await value(sql`array[18446744073709551615]::numeric(20,0)[]`)).toEqual(['18446744073709551615'])
  expect(await value(sql`current_setting('TimeZone')`)).toBe('UTC')
})

test.each([
  ['2026-11-21 06:29:22+00', '2026-11-21T06:29:22.000Z'],
  ['2026-11-21 06:29:22.5+00', '2026-11-21T06:29:22.500Z'],
  ['2026-11-21 06:29:22.123456+00', '2026-11-21T06:29:22.123Z'],
  ['2026-11-21 06:29:22.123+05:30', '2026-11-21T00:59:22.123Z'],
  ['2026-11-21 06:29:22-08', '2026-11-21T14:29:22.000Z'],
])('timestamptz text %s is %s', (text, iso) => {
  expect(isoTimestamp(text)).toBe(iso)
})

test('a statement with parameters is prepared once per connection', async () => {
  const orm = await openOrm(database.connection, { poolSize: 1 })
  try {
    const kysely = orm.em.getKysely()
    for (const n of [1, 2, 3]) await sql`select ${n}::int + 40000 as n`.execute(kysely)
    const { rows } = await sql<{ statement: string; times: number }>`
      select statement, generic_plans + custom_plans as times from pg_prepared_statements`.execute(kysely)
    expect(rows.filter((row) => row.statement.includes('40000'))).toEqual([
      { statement: 'select $1::int + 40000 as n', times: 3 },
    ])
  } finally {
    await orm.close()
  }
})

test('a statement over its time limit is cancelled, and the connection stays usable', async () => {
  const orm = await openOrm(database.connection, { poolSize: 1, statementTimeoutMs: 1_000 })
  try {
    await expect(sql`select pg_sleep(30)`.execute(orm.em.getKysely())).rejects.toThrow(/statement timeout/)
    await expect(sql`select 1`.execute(orm.em.getKysely())).resolves.toBeDefined()
  } finally {
    await orm.close()
  }
})

test('connections that the server ends, busy and idle, are replaced', async () => {
  const warnings: string[] = []
  const orm = await openOrm(database.connection, {
    poolSize: 2,
    onWarning: (message) => warnings.push(message),
  })
  try {
    const busy = sql`select pg_sleep(30)`.execute(orm.em.getKysely()).catch(String)
    const killOthers = sql<{ count: number }>`
      select count(pg_terminate_backend(pid))::int as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and query like '%pg_sleep(30)%'`
    await expect
      .poll(async () => (await killOthers.execute(database.orm.em.getKysely())).rows[0]?.count)
      .toBe(1)
    expect(await busy).toMatch(/terminat/)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(database.orm.em.getKysely())
    await expect.poll(() => warnings.length).toBeGreaterThan(0)
    await expect(sql`select 1`.execute(orm.em.getKysely())).resolves.toBeDefined()
  } finally {
    await orm.close()
  }
})

test.each([
  ['of the pool', async () => (await database.orm.em.getConnection().getNativeClient()).connect()],
  ['beside the pool', () => openSession(database.orm)],
])(
  'a connection %s that is lost while nothing is asked of it tells the next statement, and ends nothing else',
  async (_, open) => {
    const client = await open()
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const ended = new Promise((resolve) => void client.once('end', resolve))
    await sql`select pg_terminate_backend(${rows[0]!.pid})`.execute(database.orm.em.getKysely())
    await ended
    await expect(client.query('select 1')).rejects.toThrow(/not queryable|closed/)
    ;(client as Partial<PoolClient>).release?.()
  },
)

describe('a pool of one connection', () => {
  const lose = (pid: number | null) =>
    sql`select pg_terminate_backend(${pid})`.execute(database.orm.em.getKysely())
  const lost = /terminat|not queryable|EPIPE|ECONNRESET/

  test('has its place back after a transaction lost its connection', async () => {
    const orm = await openOrm(database.connection, { poolSize: 1, connectTimeoutMs: 3_000 })
    const kysely = orm.em.getKysely()
    await expect(
      orm.em.fork().transactional(async (em) => {
        const trx = em.getKysely()
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
        await lose(rows[0]!.pid)
        await sql`select ${1}::int`.execute(trx)
      }),
    ).rejects.toThrow(lost)
    expect((await sql`select ${2}::int as n`.execute(kysely)).rows).toEqual([{ n: 2 }])
    await orm.close()
  })

  test('gets it back if a transaction could not begin, and nothing of the transaction ran', async () => {
    const orm = await openOrm(database.connection, { poolSize: 1, connectTimeoutMs: 3_000 })
    const pool: Pool = await orm.em.getConnection().getNativeClient()
    // The end is not noticed while the socket is not read.
    const client = (await pool.connect()) as PoolClient & {
      processID: number
      connection: { stream: Socket }
    }
    client.connection.stream.pause()
    client.release()
    await lose(client.processID)
    await eventually(async () =>
      expect(
        await value(sql`(select count(*)::int from pg_stat_activity where pid = ${client.processID})`),
      ).toBe(0),
    )
    const taken = once(pool, 'acquire')
    let ran = false
    const transaction = orm.em.fork().transactional(async (em) => {
      await sql`select ${1}::int`.execute(em.getKysely())
      ran = true
    })
    await taken
    client.connection.stream.resume()
    await expect(transaction).rejects.toThrow(lost)
    expect(ran).toBe(false)
    expect((await sql`select ${2}::int as n`.execute(orm.em.getKysely())).rows).toEqual([{ n: 2 }])
    await orm.close()
  })
})

describe('a server that disappears without closing connections', () => {
  let network: SlowNetwork
  let orm: Orm
  beforeEach(async () => {
    network = await slowNetwork(database.connection)
    orm = await openOrm({ url: network.url }, { poolSize: 1, statementTimeoutMs: 700, answerMarginMs: 200 })
  })
  afterEach(async () => {
    await orm.close()
    await network.close()
  })
  const one = (kysely: Kysely<Database> = orm.em.getKysely()) => sql`select ${1}::int as one`.execute(kysely)
  const inTransaction = (work: (trx: Kysely<Database>) => Promise<unknown>) =>
    orm.em.fork().transactional((em) => work(em.getKysely()))

  test.each<[string, () => Promise<unknown>]>([
    ['a statement', () => one()],
    ['a statement without parameters', () => sql`select 1`.execute(orm.em.getKysely())],
    ['a transaction that begins', () => inTransaction(one)],
  ])('%s fails like a lost connection, and the next one gets a new connection', async (_, ask) => {
    await ask()
    network.silenceNext()
    const failure = await ask().catch((error: unknown) => error)
    expect(knownError(failure)?.code).toBe('DATABASE_UNAVAILABLE')
    expect((await one()).rows).toEqual([{ one: 1 }])
    expect((await orm.em.getConnection().getNativeClient()).totalCount).toBe(1)
  })

  test('a transaction returns its connection to the pool', async () => {
    await expect(
      inTransaction(async (trx) => {
        network.silenceNext()
        await one(trx)
      }),
    ).rejects.toThrow(/terminated/)
    expect((await one()).rows).toEqual([{ one: 1 }])
  })

  test('a long statement is not mistaken for it while the time limit of statements is off', async () => {
    const slow = 'select pg_sleep(1.1)'
    await inTransaction(async (trx) => {
      await sql`set local statement_timeout = 0`.execute(trx)
      await sql.raw(slow).execute(trx)
    })
    const session = await openSession(orm)
    await session.query('set statement_timeout = 0')
    await session.query(slow)
    await session.end()
    network.silenceNext()
    await expect(one()).rejects.toThrow(/terminated/)
  })
})
