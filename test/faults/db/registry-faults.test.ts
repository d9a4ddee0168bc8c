import { connect, createServer, type Socket } from 'node:net'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { openOrm } from '../../../src/db/orm.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { openRowReads, openSession } from '../../../src/db/session.ts'
import { asciiTrigrams } from '../../../src/registry/search/trigrams.ts'
import { eventually } from '../../support/eventually.ts'
import { agentRow, insertAgents, insertStakes, keyOf, stakeRow } from '../../support/factories.ts'
import { perFile } from '../../support/lifetime.ts'
import { startOwnPostgres } from '../../support/own-postgres.ts'
import { createTestRegistry } from '../../support/registry.ts'

const postgres = perFile(() => startOwnPostgres({ settings: ['fsync=off', 'wal_level=logical'] }))
afterEach(async () => void (await sql`truncate agents, stakes`.execute(postgres.orm.em.getKysely())))

test('the copy follows what logical replication inserts, changes and deletes', async () => {
  const source = postgres.orm.em.getKysely()
  await sql`create database target`.execute(source)
  const { host, user, database } = postgres.connection
  const orm = await openOrm({ host, user, database: 'target' })
  await migrate(orm)
  const target = orm.em.getKysely()
  await sql`create publication tables for table agents, stakes`.execute(source)
  await sql`select pg_create_logical_replication_slot('target', 'pgoutput')`.execute(source)
  const url = `host=${host} user=${user} dbname=${database}`
  await sql
    .raw(`create subscription target connection '${url}' publication tables with (create_slot = false)`)
    .execute(target)
  const registry = await createTestRegistry({ orm })
  const names = () =>
    registry.read<[string[], number]>(
      ({ agents, stakes }) => [
        ['one', 'two'].flatMap((label) => agents.get(keyOf(`agent ${label}`))?.name ?? []),
        stakes.size,
      ],
      () => Promise.reject(new Error('not in memory')),
    )
  await insertAgents(source, [agentRow('one', { name: 'one' }), agentRow('two', { name: 'two' })])
  await insertStakes(source, [stakeRow('one')])
  await eventually(async () => expect(await names()).toEqual([['one', 'two'], 1]))
  await sql`update agents set name = 'three' where name = 'two'`.execute(source)
  await eventually(async () => expect(await names()).toEqual([['one', 'three'], 1]))
  await sql`delete from agents where name = 'one'`.execute(source)
  await sql`delete from stakes`.execute(source)
  await eventually(async () => expect(await names()).toEqual([['three'], 0]))
  await registry.stop()
  for (const text of ['disable', 'set (slot_name = none)'])
    await sql.raw(`alter subscription target ${text}`).execute(target)
  await sql`drop subscription target`.execute(target)
  await orm.close()
  await sql`select pg_drop_replication_slot('target')`.execute(source)
})

test.each(['at its start', 'during the copy'])(
  'a load whose connection hangs %s is tried again',
  async (when) => {
    await insertAgents(postgres.orm.em.getKysely(), [agentRow('one')])
    const { host, user, database } = postgres.connection
    const sockets: Socket[] = []
    let connections = 0
    // A fault: the first connection is dead after a moment, and nobody says so.
    const proxy = createServer((client) => {
      connections += 1
      let isDead = connections === 1 && when === 'at its start'
      const canDie = connections === 1
      const server = connect(`${host}/.s.PGSQL.5432`)
      sockets.push(client, server)
      client.on('error', () => undefined).on('close', () => server.destroy())
      server.on('error', () => undefined).on('data', (data) => void (isDead || client.write(data)))
      client.on('data', (data) => {
        if (canDie && data.includes('copy (select')) isDead = true
        if (!isDead) server.write(data)
      })
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const { port } = proxy.address() as { port: number }
    const registry = await createTestRegistry(postgres, {
      connection: { host: '127.0.0.1', port, user, database },
      fewRows: -1,
      silentMs: 1_000,
    })
    expect(connections).toBe(2)
    expect(registry.status().agents).toBe(1)
    await registry.stop()
    for (const each of sockets) each.destroy()
    proxy.close()
  },
)

test('reads wait once for statements that hang, also for those of the poll', async () => {
  const read = await openRowReads(postgres.orm)
  let hangs = false
  let hanging = 0
  const registry = await createTestRegistry(postgres, {
    query: async (text, values) => {
      if (!hangs) return read(text, values)
      hanging += 1
      return new Promise(() => undefined)
    },
  })
  hangs = true
  await eventually(() => expect(hanging).toBeGreaterThan(0))
  // Two times the limit of a statement without the suspension by the poll.
  let isLate = false
  setTimeout(() => (isLate = true), 3_500).unref()
  const from = Array.from({ length: 6 }, async (_, i) => {
    // While the poll already waits.
    await new Promise((resolve) => setTimeout(resolve, 20 * i))
    return registry.read(
      () => 'memory',
      () => Promise.resolve('database'),
    )
  })
  expect(new Set(await Promise.all(from))).toEqual(new Set(['database']))
  expect(isLate).toBe(false)
  hangs = false
  void registry.stop()
})

test('polls that wait for a lock hold few connections', async () => {
  const orm = await openOrm(postgres.connection)
  const registry = await createTestRegistry({ orm })
  const session = await openSession(postgres.orm)
  await session.query('begin')
  await session.query('lock table agents in access exclusive mode')
  const waiting = async (): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int4 as count from pg_stat_activity where wait_event_type = 'Lock'`.execute(
      postgres.orm.em.getKysely(),
    )
    return rows[0]!.count
  }
  await eventually(() => expect(registry.status().ready).toBe(false))
  expect(await waiting()).toBeLessThanOrEqual(2)
  await session.query('rollback')
  await eventually(() => expect(registry.status().ready).toBe(true))
  await session.end()
  await registry.stop()
  await orm.close()
})

test('a copy whose rows have changed their sizes many times is loaded again when it is too large', async () => {
  const kysely = postgres.orm.em.getKysely()
  await insertAgents(
    kysely,
    Array.from({ length: 500 }, (_, i) => agentRow(`${i}`)),
  )
  const registry = await createTestRegistry(postgres, { maxBytes: 2_000_000 })
  const isFrom = () =>
    registry.read<'memory' | 'database'>(
      () => 'memory',
      () => Promise.resolve('database'),
    )
  let most = 0
  for (let size = 8; size <= 240; size += 8)
    for (let i = 0; i < 500; i += 50) {
      await sql`update agents set agent_card_url = repeat('x', ${size}::int4) where pda in (
        select pda from agents order by pda limit 50 offset ${i}::int4)`.execute(kysely)
      await isFrom()
      most = Math.max(most, registry.status().bytes)
    }
  expect(most).toBeGreaterThan(2_000_000)
  await eventually(async () => {
    expect(registry.status().bytes).toBeLessThan(2_000_000)
    expect(await isFrom()).toBe('memory')
  })
  await registry.stop()
})

test('a search whose thread is stopped meanwhile does not read rows that are gone', async () => {
  await insertAgents(postgres.orm.em.getKysely(), [agentRow('one', { name: 'Kestrel' })])
  const registry = await createTestRegistry(postgres, { minNames: 0 })
  const agents = await registry.read(
    (copy) => copy.agents,
    () => Promise.reject(new Error('not in memory')),
  )
  const any = { tiers: null, statuses: null, exceptStatus: null, categories: null, includeMismatched: true }
  const conditions = { ...any, minReputation: null, maxReputation: null }
  const window = { sort: 'name', by: 'name', descending: false, after: null, before: null } as const
  const page = { ...window, backward: false, offset: 0, limit: 10 }
  const found = agents.search(asciiTrigrams('Kestrel'), conditions, page)
  // The thread answers while this one is blocked.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
  const thread = agents.names!
  agents.names = null
  void thread.stop()
  agents.apply({ table: 0, pda: keyOf('agent one'), values: null })
  expect(await found).toBeUndefined()
  await registry.stop()
})
