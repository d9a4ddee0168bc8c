import { createIndexer, type Indexer } from '../../../src/ledger/indexer/indexer.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { PROGRAM_ID, type ScriptedLedger } from './scripted-ledger.ts'
import type { IndexerOptions } from '../../../src/ledger/indexer/context.ts'
import { webhookSink } from '../../../src/webhooks/enqueue.ts'
import type { Orm } from '../../../src/db/orm-types.ts'

const ignore = (): void => {}
export const silentLogger = { info: ignore, warn: ignore, error: ignore, debug: ignore }

/** Starts an indexer that polls a scripted ledger, with short intervals. */
export function scriptedIndexer(
  orm: Orm,
  ledger: ScriptedLedger,
  options: Partial<IndexerOptions> = {},
): Indexer {
  const indexer = createIndexer({
    sink: webhookSink,
    orm,
    rpc: ledger.rpc(),
    programId: PROGRAM_ID,
    commitment: 'confirmed',
    clock: systemClock,
    logger: silentLogger,
    pollMs: 10,
    verifyMs: 10,
    standbyPollMs: 20,
    ...options,
  })
  indexer.start()
  return indexer
}
