import { Worker } from 'node:worker_threads'
import { agentParsers, AGENTS, AgentsCopy } from './agents-copy.ts'
import type { ChangeFeed, Position, RunQuery } from './changes.ts'
import { stakeParsers, STAKES, StakesCopy } from './stakes-copy.ts'
import type { Pause } from './table-copy.ts'
import { type IndexedTable, type TableData, tableOf } from './table-data.ts'

/** All agents and stakes of one snapshot. */
export interface RegistryCopy {
  readonly agents: AgentsCopy
  readonly stakes: StakesCopy
}

/** The copy, and what it has read. */
export interface Serving {
  readonly copy: RegistryCopy
  readonly position: Position
}

export interface LoadOptions {
  readonly query: RunQuery
  /** For the thread that loads. */
  readonly connection: object
  /** Tables with at most so many rows are read without a thread. 1,000 by default. */
  readonly fewRows?: number
  /** The load begins again when PostgreSQL sends nothing for so long. 30 s by default. */
  readonly silentMs?: number
  readonly maxBytes: number
}

/** A thread takes longer to start. */
const FEW_ROWS = 1_000
const SILENT_MS = 30_000

/** Reads all agents and stakes. Null if they need more than `maxBytes`. */
export async function loadCopy(
  feed: ChangeFeed,
  { query, connection, maxBytes, fewRows = FEW_ROWS, silentMs = SILENT_MS }: LoadOptions,
  pause: Pause,
  signal: AbortSignal,
): Promise<Serving | null> {
  const position = await feed.position()
  const tables = [AGENTS, STAKES]
  const few = await Promise.all(tables.map((_, i) => feed.rows(i, fewRows)))
  const loaded = few.every((rows) => rows !== null)
    ? few.map((rows, i) => tableOf(tables[i]!, rows))
    : await loadTables({ connection, maxBytes, tables, silentMs }, signal)
  if (loaded === null) return null
  const [agentData, stakeData] = loaded
  const agents = new AgentsCopy(agentData!, await agentParsers(query))
  const stakes = new StakesCopy(stakeData!, await stakeParsers(query))
  for (const table of [agents, stakes]) await table.begin(pause)
  return { copy: { agents, stakes }, position }
}

export interface ThreadOptions {
  readonly connection: object
  readonly tables: readonly IndexedTable[]
  readonly maxBytes: number
  readonly silentMs: number
}

/**
 * Reads tables in a thread, so that neither rows nor sorting delay others. Null if they need more
 * than `maxBytes`.
 */
async function loadTables(options: ThreadOptions, signal: AbortSignal): Promise<readonly TableData[] | null> {
  const worker = new Worker(new URL('./load-worker.ts', import.meta.url), {
    workerData: options,
    name: 'registry-load',
  })
  // It does not keep the process alive.
  worker.unref()
  const stop = (): void => void worker.terminate()
  signal.addEventListener('abort', stop)
  try {
    return await new Promise<readonly TableData[] | null>((resolve, reject) => {
      worker.on('message', resolve)
      worker.on('error', reject)
      worker.on('exit', () => reject(new Error('the thread that loads the registry ended')))
    })
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}
