import type { Orm } from '../../../src/db/orm-types.ts'
import type { IndexerOptions } from '../../../src/ledger/indexer/context.ts'
import { createIndexer, type Indexer } from '../../../src/ledger/indexer/indexer.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { silentLogger } from './indexer.ts'
import { webhookSink } from '../../../src/webhooks/enqueue.ts'
import { programId, type RegistryWorld } from './registry-world.ts'

/** Starts an indexer of a localnet with the registry. */
export function worldIndexer(
  { rpc, localnet }: RegistryWorld,
  orm: Orm,
  options: Partial<IndexerOptions> = {},
): Indexer {
  const indexer = createIndexer({
    sink: webhookSink,
    orm,
    rpc,
    wsUrl: localnet.wsUrl,
    programId,
    commitment: 'confirmed',
    clock: systemClock,
    logger: silentLogger,
    ...options,
  })
  indexer.start()
  return indexer
}
