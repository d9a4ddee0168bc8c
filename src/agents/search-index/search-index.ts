import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { createBackgroundLoop } from '../../platform/async/background-loop.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import { type IndexThread, NOT_READY, startIndexThread } from './index-thread.ts'
import { exposeSearchIndex } from './metrics.ts'
import type { IndexData, IndexStatus, LocatedAgents, SearchRequest } from './protocol.ts'

/** Finds agents by name in memory. */
export interface SearchIndex {
  /** Null if the index cannot answer, for example while it is loading. */
  search(request: Omit<SearchRequest, 'id'>): Promise<LocatedAgents | null>
  status(): IndexStatus
  stop(): Promise<void>
}

export interface SearchIndexOptions extends IndexData {
  readonly kysely: Kysely<Database>
  readonly logger: Logger
  readonly metrics: Metrics
  readonly minAgents?: number
}

/** PostgreSQL searches fewer agents in a millisecond. */
const MIN_AGENTS = 5_000
const CHECK_MS = 5_000

/** Starts a thread with the index once there are enough agents, and again if the thread ends. */
export function startSearchIndex(options: SearchIndexOptions): SearchIndex {
  const { connection, maxBytes, kysely, logger, minAgents = MIN_AGENTS } = options
  let thread: IndexThread | null = null
  const loop = createBackgroundLoop({
    retryMs: CHECK_MS,
    onError: (error) => logger.warn({ err: error }, 'agents cannot be counted for the search index'),
    step: async (signal) => {
      if (thread?.isAlive() !== true && (await countAgents(kysely)) >= minAgents && !signal.aborted)
        thread = startIndexThread({ connection, maxBytes }, logger)
      return CHECK_MS
    },
  })
  loop.start()
  const status = (): IndexStatus => thread?.status() ?? NOT_READY
  const count = exposeSearchIndex(status, options.metrics)
  return {
    status,
    search: async (request) => {
      const found = (await thread?.search(request)) ?? null
      count(found === null ? 'unavailable' : 'answered')
      return found
    },
    stop: async () => {
      await loop.stop()
      await thread?.stop()
    },
  }
}

async function countAgents(kysely: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{
    agents: number
  }>`select coalesce(sum(count), 0)::int8 as agents from agent_counts`.execute(kysely)
  return rows[0]?.agents ?? 0
}
