import type { Orm } from '../../../src/db/orm-types.ts'
import { audit } from '../../../src/ledger/audit/audit.ts'
import type { AuditOptions } from '../../../src/ledger/audit/findings.ts'
import { rebuild, type RebuildOptions } from '../../../src/ledger/audit/rebuild.ts'
import type { IndexerOptions } from '../../../src/ledger/indexer/context.ts'
import type { Indexer } from '../../../src/ledger/indexer/indexer.ts'
import { webhookSink } from '../../../src/webhooks/enqueue.ts'
import { createTestDatabase } from '../database.ts'
import { perTest } from '../lifetime.ts'
import { scriptedIndexer } from './indexer.ts'
import { registration, report } from './samples.ts'
import { PROGRAM_ID, ScriptedLedger } from './scripted-ledger.ts'
import { dumpTables, kyselyOf } from './tables.ts'

/** An empty database and an empty ledger for each test of the file, and what tests do with them. */
export function useScriptedWorld() {
  const database = perTest(createTestDatabase)
  const ledger = perTest(() => new ScriptedLedger())
  // Stops the indexers before the database is dropped.
  const indexers = perTest(() => {
    const started: Indexer[] = []
    return { started, stop: () => Promise.all(started.splice(0).map((indexer) => indexer.stop())) }
  })
  const common = () => ({ orm: database.orm, rpc: ledger.rpc(), programId: PROGRAM_ID })
  const dump = () => dumpTables(database.orm)
  const start = (options: Partial<IndexerOptions> = {}, orm: Orm = database.orm): Indexer => {
    const indexer = scriptedIndexer(orm, ledger, options)
    indexers.started.push(indexer)
    return indexer
  }
  return {
    database,
    ledger,
    get db() {
      return kyselyOf(database.orm)
    },
    start,
    stop: () => indexers.stop(),
    /** The status of the last started indexer. */
    status: () => indexers.started.at(-1)!.status(),
    /** Waits until the last started indexer has nothing to do. Starts one if there is none. */
    idle: () => (indexers.started.at(-1) ?? start()).whenIdle(),
    /** Registers agents and reports each, one transaction per slot. */
    send: (transactions: number): void => {
      for (let i = 0; i < transactions; i += 1) {
        ledger.send(i % 2 === 0 ? registration(`agent-${i}`) : report(`agent-${i - 1}`, 250, 250 + i))
        ledger.advance()
      }
    },
    audited: (options: Partial<AuditOptions> = {}) => audit({ ...common(), settleMs: 0, ...options }),
    rebuilt: (options: Partial<RebuildOptions> = {}) =>
      rebuild({ ...common(), sink: webhookSink, ...options }),
    dump,
    letters: async () => ((await dump()).dead_letters as { kind: string }[]).map(({ kind }) => kind).sort(),
    names: async () => ((await dump()).agents as { name: string }[]).map(({ name }) => name).sort(),
  }
}
