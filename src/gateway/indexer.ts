import { createIndexer, type Indexer } from '../ledger/indexer/indexer.ts'
import { exposeIndexer } from '../ledger/indexer/metrics.ts'
import type { Foundation } from './foundation.ts'

/** The indexer, started; null where this process has no such role. */
export function startIndexer(
  { config, orm, rpc, clock, logger, metrics, stack }: Foundation,
  wsUrl: () => readonly string[],
): Indexer | null {
  if (!config.roles.has('indexer')) return null
  const { programId, commitment } = config.ledger
  const indexer = createIndexer({
    orm,
    rpc,
    wsUrl,
    programId,
    commitment,
    clock,
    logger,
    ...config.indexer,
  })
  stack.defer(() => indexer.stop())
  exposeIndexer(() => indexer.status(), metrics)
  indexer.start()
  return indexer
}
