import type { Orm } from '../../../src/db/orm-types.ts'
import type { IndexerOptions } from '../../../src/ledger/indexer/context.ts'
import { createIndexer, type Indexer } from '../../../src/ledger/indexer/indexer.ts'
import type { LedgerRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { webhookSink } from '../../../src/webhooks/enqueue.ts'
import type { RegistryWorld } from './registry-world.ts'
import { PROGRAM_ID, type ScriptedLedger } from './scripted-ledger.ts'

const ignore = (): void => {}
export const silentLogger = { info: ignore, warn: ignore, error: ignore, debug: ignore }

type Options = Partial<IndexerOptions>

/** Starts an indexer that polls a scripted ledger, with short intervals. */
export const scriptedIndexer = (orm: Orm, ledger: ScriptedLedger, options: Options = {}): Indexer =>
  startIndexer(orm, ledger.rpc(), { pollMs: 10, verifyMs: 10, standbyPollMs: 20, ...options })

/** Starts an indexer of a localnet with the registry. */
export const worldIndexer = ({ rpc, localnet }: RegistryWorld, orm: Orm, options: Options = {}): Indexer =>
  startIndexer(orm, rpc, { wsUrl: localnet.wsUrl, ...options })

function startIndexer(orm: Orm, rpc: LedgerRpc, options: Options): Indexer {
  const indexer = createIndexer({
    sink: webhookSink,
    orm,
    rpc,
    programId: PROGRAM_ID,
    commitment: 'confirmed',
    clock: systemClock,
    logger: silentLogger,
    ...options,
  })
  indexer.start()
  return indexer
}
