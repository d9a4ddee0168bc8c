import { rmSync } from 'node:fs'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createAgentReads } from '../../../src/agents/agent-reads.ts'
import { startEmbeddedPostgres } from '../../../src/db/embedded/postgres.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { openOrm } from '../../../src/db/orm.ts'
import { openReads } from '../../../src/db/reads.ts'
import { eventually } from '../../support/eventually.ts'
import { agentRow, insertAgents } from '../../support/factories.ts'
import { silentLogger } from '../../support/indexer/indexer.ts'
import { createTestRegistry } from '../../support/registry.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('after a restart of PostgreSQL, rows that changed without their triggers are read again', async () => {
  const dataDir = temporaryFolder('gateway-registry-')
  const server = { dataDir, logger: silentLogger, settings: ['fsync=off'] }
  let postgres = await startEmbeddedPostgres(server)
  const orm = await openOrm(postgres.connection)
  await migrate(orm)
  const kysely = orm.em.getKysely()
  await insertAgents(kysely, [agentRow('one', { name: 'before' })])
  const registry = await createTestRegistry({ orm })
  const reads = createAgentReads(await openReads(orm), { registry })
  const names = async () => (await reads.list({})).rows.map(({ name }) => name)
  try {
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
    expect(await eventually(names)).toEqual(['restored'])
    await eventually(() => expect(registry.status().ready).toBe(true))
    expect(await names()).toEqual(['restored'])
  } finally {
    await registry.stop()
    await orm.close()
    await postgres.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
