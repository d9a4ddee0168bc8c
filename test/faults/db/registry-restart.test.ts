import { type Kysely, sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAgentReads } from '../../../src/registry/agents/agent-reads.ts'
import type { Database } from '../../../src/db/database.ts'
import { openSession } from '../../../src/db/session.ts'
import type { Registry } from '../../../src/registry/registry.ts'
import { eventually } from '../../support/eventually.ts'
import { agentRow, insertAgents } from '../../support/factories.ts'
import { perTest } from '../../support/lifetime.ts'
import { startOwnPostgres } from '../../support/own-postgres.ts'
import { createTestRegistry } from '../../support/registry.ts'

const postgres = perTest(() => startOwnPostgres({ settings: ['fsync=off', 'wal_writer_delay=10s'] }))
let kysely: Kysely<Database>
let registry: Registry
let names: () => Promise<string[]>

beforeEach(async () => {
  const { orm } = postgres
  kysely = orm.em.getKysely()
  await insertAgents(kysely, [agentRow('one', { name: 'before' })])
  registry = await createTestRegistry({ orm })
  const reads = createAgentReads(orm.em.getKysely(), { registry })
  names = async () => (await reads.list({})).rows.map(({ name }) => name)
})
afterEach(() => registry.stop())

/** Also when the registry answers again. */
async function expectNames(expected: string[]): Promise<void> {
  expect(await eventually(names)).toEqual(expected)
  await eventually(() => expect(registry.status().ready).toBe(true))
  expect(await eventually(names)).toEqual(expected)
}

test('after a restart of PostgreSQL, rows that changed without their triggers are read again', async () => {
  expect(await names()).toEqual(['before'])
  await postgres.stop()
  await expect(names()).rejects.toThrow(/ENOENT|ECONNREFUSED|terminat/)
  await postgres.start()
  // Like a backup from before the change: nothing in it tells what differs.
  await eventually(() =>
    kysely.transaction().execute(async (work) => {
      await sql`alter table agents disable trigger all`.execute(work)
      await sql`update agents set name = 'restored'`.execute(work)
    }),
  )
  await expectNames(['restored'])
})

test('after a crash of a session, a change whose id was given out before is read', async () => {
  const sessions = [await openSession(postgres.orm), await openSession(postgres.orm)] as const
  const { rows } = await sessions[0].query<{ pid: number }>('select pg_backend_pid() as pid')
  const crash = new Promise<void>((resolve) => sessions[1].once('end', resolve))
  await sql`checkpoint`.execute(kysely)
  // PostgreSQL has not written that these ids are used.
  for (let i = 0; i < 5; i++)
    await kysely
      .transaction()
      .execute(async (work) => {
        await sql`update agents set name = 'undone'`.execute(work)
        throw new Error('undone')
      })
      .catch(() => undefined)
  expect(await names()).toEqual(['before'])
  process.kill(rows[0]!.pid, 'SIGKILL')
  await crash
  await eventually(() => sql`update agents set name = 'after'`.execute(kysely))
  await expectNames(['after'])
})
