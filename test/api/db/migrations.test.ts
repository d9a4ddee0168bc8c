import { readdirSync, readFileSync } from 'node:fs'
import { type Kysely, sql } from 'kysely'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { migrationsList } from '../../../src/db/migrations/index.ts'
import { openOrm } from '../../../src/db/orm.ts'
import type { DatabaseConnection, Orm } from '../../../src/db/orm-types.ts'
import { createTestDatabase } from '../../support/database.ts'
import { connectionTo, createDatabase, dropDatabase } from '../../support/database-server.ts'
import { describeSchema } from './describe-schema.ts'

/** One dump per release, with at least one row in each table. Never change a dump. */
const RELEASES = new URL('../../support/releases/', import.meta.url)

const server = inject('databaseServer')
const name = `gateway_migrations_${process.pid}`
const connection = connectionTo(server, name)
const opened: Orm[] = []
beforeEach(() => createDatabase(server, name))
afterEach(async () => {
  await Promise.all(opened.splice(0).map((orm) => orm.close()))
  await dropDatabase(server, name)
})

async function open(): Promise<Orm> {
  const orm = await openOrm(connection)
  opened.push(orm)
  return orm
}

async function restore(target: DatabaseConnection, dump: string): Promise<void> {
  const client = new Client('url' in target ? { connectionString: target.url } : target)
  await client.connect()
  await client.query(dump)
  await client.end()
}

async function countRows(kysely: Kysely<Database>): Promise<Record<string, number>> {
  const tables = await kysely.introspection.getTables()
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const { rows } = await sql<{ count: number }>`select count(*) from ${sql.table(table.name)}`.execute(
      kysely,
    )
    counts[table.name] = rows[0]!.count
  }
  return counts
}

const releases = readdirSync(RELEASES).map((file) => file.replace('.sql', ''))
test.each(releases)('the database of release %s can be migrated', async (release) => {
  await restore(connection, readFileSync(new URL(`${release}.sql`, RELEASES), 'utf8'))
  const orm = await open()
  const { schema_migrations: applied, read_versions: _, ...rows } = await countRows(orm.em.getKysely())
  expect(Object.entries(rows).filter(([, count]) => count === 0)).toEqual([])

  expect(await migrate(orm)).toEqual(migrationsList.slice(applied).map((each) => each.name))
  expect(await countRows(orm.em.getKysely())).toMatchObject(rows)
  const fresh = await createTestDatabase()
  const expected = await describeSchema(fresh.orm.em.getKysely())
  await fresh.drop()
  expect(await describeSchema(orm.em.getKysely())).toEqual(expected)
})

test('open preparations of release 0.1.0 take nothing any more, and can still be submitted', async () => {
  await restore(connection, readFileSync(new URL('0.1.0.sql', RELEASES), 'utf8'))
  const kysely = (await open()).em.getKysely()
  await sql`insert into invite_codes (hash, max_uses) values ('code', 5)`.execute(kysely)
  await sql`
    insert into prepared_transactions
      (id, status, message, last_valid_block_height, signature, sponsored, next_check_at, created_at)
    select id, 'simulated', 'message', 1, null, true, now(), now()
    from unnest(array['open', 'open transaction', 'refused', 'expired']) as id`.execute(kysely)
  await sql`
    insert into sponsorships (id, kind, wallet, code_hash, state, reserved_lamports, signature) values
      ('open', 'registration', 'a', 'code', 'reserved', 1, null),
      ('open transaction', 'transaction', 'b', null, 'reserved', 1, null),
      ('refused', 'registration', 'c', 'code', 'released', 1, null),
      ('expired', 'registration', 'd', 'code', 'released', 1, 'signature'),
      ('landed', 'registration', 'e', 'code', 'confirmed', 1, 'signature')`.execute(kysely)
  await migrate(opened[0]!)
  const kept = await sql<{ id: string }>`
    select id from sponsorships where wallet in ('a', 'b', 'c', 'd', 'e') order by id`.execute(kysely)
  expect(kept.rows.map(({ id }) => id)).toEqual(['expired', 'landed'])
  const prepared = await sql<{ id: string; code: string | null }>`
    select id, invite_code_hash as code from prepared_transactions where message = 'message' order by id`.execute(
    kysely,
  )
  expect(prepared.rows).toEqual([
    { id: 'expired', code: 'code' },
    { id: 'open', code: 'code' },
    { id: 'open transaction', code: null },
    { id: 'refused', code: 'code' },
  ])
})

test('the events of release 0.1.0 are counted by hour, without those that a fork removed', async () => {
  await restore(connection, readFileSync(new URL('0.1.0.sql', RELEASES), 'utf8'))
  const kysely = (await open()).em.getKysely()
  await sql`
    insert into outbox_events (id, event_id, type, agent_pda, slot, body, occurred_at, cancelled_at)
    select id, id, type, 'agent', 1, '{"data":{"amount":' || amount || '}}', '2020-01-01T10:59:59Z', gone
    from (values ('a', 'stake.deposited', 7, null::timestamptz), ('b', 'stake.withdrawn', 2, null),
      ('c', 'stake.deposited', 9, now()), ('d', 'agent.closed', 5, null)) as rows (id, type, amount, gone)`.execute(
    kysely,
  )
  await migrate(opened[0]!)
  const { rows } = await sql`
    select count, deposited_change::text as change from registry_hours where hour = '2020-01-01T10:00:00Z'`.execute(
    kysely,
  )
  expect(rows).toEqual([{ count: 3, change: '5' }])
})

test('processes of release 0.1.0 find no versions any more, so they use no cached response', async () => {
  await restore(connection, readFileSync(new URL('0.1.0.sql', RELEASES), 'utf8'))
  const orm = await open()
  // Of its src/db/read-versions. A group without a version is read again.
  const read = () =>
    sql`
      select table_group as tables,
        extract(epoch from pg_postmaster_start_time()) || ' ' || string_agg(transaction_id::text, ' ' order by id) as version
      from read_versions where table_group = any(${['agents', 'stakes', 'history']}) group by table_group`.execute(
      orm.em.getKysely(),
    )
  expect((await read()).rows).toHaveLength(3)
  await migrate(orm)
  expect((await read()).rows).toEqual([])
})

test('replicas that start together apply each migration once', async () => {
  const replicas = await Promise.all([open(), open(), open(), open()])
  const applied = await Promise.all(replicas.map((orm) => migrate(orm)))
  expect(applied.flat().sort()).toEqual(migrationsList.map((each) => each.name))
  expect(await migrate(replicas[0])).toEqual([])
})
