import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startEmbeddedPostgres } from '../../../src/db/embedded/postgres.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { openOrm } from '../../../src/db/orm.ts'
import { audit } from '../../../src/ledger/audit/audit.ts'
import { scriptedIndexer, silentLogger } from '../../support/ledger/indexer.ts'
import { registration } from '../../support/ledger/samples.ts'
import { PROGRAM_ID, ScriptedLedger } from '../../support/ledger/scripted-ledger.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('the indexer survives a restart of PostgreSQL and misses nothing', async () => {
  const dataDir = temporaryFolder('gateway-restart-')
  const server = { dataDir, logger: silentLogger, settings: ['fsync=off'] }
  let postgres = await startEmbeddedPostgres(server)
  const orm = await openOrm(postgres.connection)
  const ledger = new ScriptedLedger()
  const indexer = scriptedIndexer(orm, ledger)
  try {
    await migrate(orm)
    ledger.send(registration('before'))
    await indexer.whenIdle()
    await postgres.stop()
    ledger.send(registration('meanwhile'))
    await expect.poll(() => indexer.status().counters.failures).toBeGreaterThan(0)
    postgres = await startEmbeddedPostgres(server)
    ledger.send(registration('after'))
    await indexer.whenIdle()
    const report = await audit({ orm, rpc: ledger.rpc(), programId: PROGRAM_ID, settleMs: 0 })
    expect(report).toEqual({ accounts: 3, transactions: 3, events: 3, differences: [], unreadable: [] })
  } finally {
    await indexer.stop()
    await orm.close()
    await postgres.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
