import { pino } from 'pino'
import { startSearchIndex, type SearchIndex } from '../../src/agents/search-index/search-index.ts'
import { connectionOptions } from '../../src/db/session.ts'
import { createMetrics } from '../../src/platform/metrics/metrics.ts'
import type { TestDatabase } from './database.ts'
import { eventually } from './eventually.ts'

const MAX_BYTES = 512 * 1024 * 1024

/** A search index of a test's database. Waits until it is ready. */
export async function createTestIndex({ orm }: TestDatabase): Promise<SearchIndex> {
  const index = startSearchIndex({
    connection: await connectionOptions(orm),
    kysely: orm.em.getKysely(),
    logger: pino({ level: 'silent' }),
    maxBytes: MAX_BYTES,
    metrics: createMetrics(),
    minAgents: 0,
  })
  await eventually(() => {
    if (!index.status().ready) throw new Error('the index is not ready')
  })
  return index
}
