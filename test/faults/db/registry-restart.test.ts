import { rmSync } from 'node:fs'
import { type Kysely, sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAgentReads } from '../../../src/registry/agents/agent-reads.ts'
import type { Database } from '../../../src/db/database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/db/embedded/postgres.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { openOrm } from '../../../src/db/orm.ts'
import type { Orm } from '../../../src/db/orm-types.ts'
import { openReads } from '../../../src/db/reads.ts'
import { openSession } from '../../../src/db/session.ts'
import type { Registry } from '../../../src/registry/registry.ts'
import { eventually } from '../../support/eventually.ts'
import { agentRow, insertAgents } from '../../support/factories.ts'
import { silentLogger } from '../../support/ledger/indexer.ts'
import { createTestRegistry } from '../../support/registry.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let dataDir: string
let server: Parameters<typeof startEmbeddedPostgres>[0]
let postgres: EmbeddedPostgres
let orm: Orm
let kysely: Kysely<Database>
let registry: Registry
let names: () => Promise<string[]>

beforeEach(async () => {
  dataDir = temporaryFolder('gateway-registry-')
  server = { dataDir, logger: silentLogger, settings: ['fsync=off', 'wal_writer_delay=10s'] }
  postgres = await startEmbeddedPostgres(server)
  orm = await openOrm(postgres.connection)
  await migrate(orm)
  kysely = orm.em.getKysely()
  await insertAgents(kysely, [agentRow('one', { name: 'before' })])
  registry = await createTestRegistry({ orm })
  const reads = createAgentReads(await openReads(orm), { registry })
  names = async () => (await reads.list({})).rows.map(({ name }) => name)
})
afterEach(async () => {
  await registry.stop()
  await orm.close()
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

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
  postgres = await startEmbeddedPostgres(server)
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
  const sessions = [await openSession(orm), await openSession(orm)] as const
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
