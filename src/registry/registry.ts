import { shareReads } from './share-reads.ts'
import { createBackgroundLoop } from '../platform/async/background-loop.ts'
import type { Metrics } from '../platform/metrics/metrics.ts'
import { agentParsers, AGENTS, AgentsCopy } from './agents-copy.ts'
import { type Change, ChangeFeed, type Position, type RunQuery } from './changes.ts'
import { createNames, type NamesOptions } from './search/names.ts'
import { exposeRegistry, type RegistryStatus } from './metrics.ts'
import type { Pause } from './table-copy.ts'
import { stakeParsers, STAKES, StakesCopy } from './stakes-copy.ts'
import { loadTables } from './loader.ts'
import { tableOf } from './table-data.ts'

/** All agents and stakes of one snapshot. */
export interface RegistryCopy {
  readonly agents: AgentsCopy
  readonly stakes: StakesCopy
}

/** Where agents and stakes are read. */
export interface RegistryReader {
  /**
   * Calls `fromMemory` with a copy that has everything that was committed before this call. Calls
   * `fromDatabase` if there is none, or if `fromMemory` returns undefined.
   */
  read<Result>(
    fromMemory: (copy: RegistryCopy) => Result | undefined | Promise<Result | undefined>,
    fromDatabase: () => Promise<Result>,
  ): Promise<Result>
}

export const databaseReader: RegistryReader = { read: (_, fromDatabase) => fromDatabase() }

export interface Registry extends RegistryReader {
  status(): RegistryStatus
  stop(): Promise<void>
}

export interface RegistryOptions extends NamesOptions {
  readonly query: RunQuery
  /** For the thread that loads. */
  readonly connection: object
  /** Tables with at most so many rows are read without a thread. 1,000 by default. */
  readonly fewRows?: number
  /** The copy is dropped if it needs more. The names for searches are dropped first. */
  readonly maxBytes: number
  readonly metrics: Metrics
}

interface Serving {
  readonly copy: RegistryCopy
  readonly position: Position
}

/** While more changes than this are applied, which takes a millisecond, the database answers. */
const MAX_CHANGES_AT_ONCE = 100
/** More are read faster as a whole. */
const MAX_CHANGES = 20_000
/** A read takes less than a millisecond. After this time the server does not respond. */
const FENCE_TIMEOUT_MS = 2_000
/** Statements at a time. With one, a request would wait for two of them. */
const FENCES = 3
const MAX_ATTEMPTS = 5
const POLL_MS = 1_000
const RETRY_MS = 2_000
/** A thread takes longer to start. */
const FEW_ROWS = 1_000
/** After the copy was too large. */
const TOO_LARGE_MS = 600_000

class TooLargeError extends Error {}
const STOPPED = new Error('the process stops')

/** Loads all agents and stakes in the background, and answers reads from then on. */
export function startRegistry(options: RegistryOptions): Registry {
  const { query, maxBytes, logger, metrics } = options
  const feed = new ChangeFeed([AGENTS, STAKES], query)
  const names = createNames(options)
  /** A new object after each fence. Null while reads need the database. */
  let serving: Serving | null = null
  /** A complete copy with more changes to read than a fence may apply. */
  let behind: Serving | null = null
  let loadMs = 0

  const readChanges = async (): Promise<RegistryCopy | null> => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS && serving !== null; attempt += 1) {
      const before: Serving = serving
      const { position, rows } = await feed.changes(before.position, MAX_CHANGES_AT_ONCE)
      // If another fence has applied changes meanwhile, rows of this one may be older, so it asks
      // again. If it has none, the copy was complete, and is so with what the other has added.
      const now: Serving | null = serving
      if (now !== before && (now?.copy !== before.copy || rows?.length !== 0)) continue
      if (rows === null) {
        suspend()
        return null
      }
      if (now === before) {
        // If a change cannot be applied, all rows are read again.
        serving = null
        for (const change of rows) apply(before.copy, change)
        serving = { copy: before.copy, position }
      }
      return before.copy
    }
    return null
  }
  const fence = shareReads(readChanges, FENCE_TIMEOUT_MS, FENCES)

  /** Reads go to the database until the loop has caught up. */
  function suspend(): void {
    behind = serving
    serving = null
    loop.wake()
  }

  /** Null if there are too many changes, or another server. */
  async function catchUp({ copy, position }: Serving, pause: Pause): Promise<Serving | null> {
    for (;;) {
      const { position: next, rows } = await feed.changes(position, MAX_CHANGES)
      if (rows === null) return null
      behind = null
      for (const change of rows) {
        apply(copy, change)
        const waiting = pause()
        if (waiting !== undefined) await waiting
      }
      checkSize(copy, maxBytes)
      position = next
      if (rows.length <= MAX_CHANGES_AT_ONCE) return { copy, position }
    }
  }

  async function loadAndCatchUp(pause: Pause, signal: AbortSignal): Promise<Serving | null> {
    names.keep(null)
    const start = performance.now()
    const loaded = await catchUp(await load(feed, options, pause, signal), pause)
    loadMs = Math.round(performance.now() - start)
    if (loaded !== null) {
      const { agents, stakes } = loaded.copy
      logger.info({ agents: agents.size, stakes: stakes.size, loadMs }, 'agents and stakes are in memory')
    }
    return loaded
  }

  const loop = createBackgroundLoop({
    retryMs: RETRY_MS,
    step: async (signal) => {
      const pause = createPause(signal)
      try {
        if (serving !== null) await fence()
        else {
          const caughtUp = behind && (await catchUp(behind, pause))
          behind = null
          serving = caughtUp ?? (await loadAndCatchUp(pause, signal))
        }
        if (serving === null) return 0
        checkSize(serving.copy, maxBytes)
        names.keep(serving.copy.agents, bytesOf(serving.copy))
        return POLL_MS
      } catch (error) {
        if (!(error instanceof TooLargeError)) throw error
        serving = null
        behind = null
        names.keep(null)
        logger.warn(`reads of agents and stakes need the database: a copy needs more than ${maxBytes} bytes`)
        return TOO_LARGE_MS
      }
    },
    onError: (error) => {
      if (error !== STOPPED) logger.warn({ err: error }, 'agents and stakes cannot be read into memory')
    },
  })
  loop.start()

  const status = (): RegistryStatus => ({
    ready: serving !== null,
    agents: serving?.copy.agents.size ?? 0,
    stakes: serving?.copy.stakes.size ?? 0,
    bytes: serving === null ? 0 : bytesOf(serving.copy) + (serving.copy.agents.names?.bytes ?? 0),
    searches: serving?.copy.agents.names?.isReady ?? false,
    loadMs,
  })
  const count = exposeRegistry(status, metrics)
  return {
    status,
    read: async (fromMemory, fromDatabase) => {
      const copy = serving === null ? null : await fence().catch(() => null)
      // What fails here fails in the database too, and is reported then.
      if (copy === null && serving !== null) suspend()
      const answer = copy === null ? undefined : fromMemory(copy)
      const found = answer instanceof Promise ? await answer : answer
      count(found === undefined ? 'database' : 'memory')
      return found === undefined ? fromDatabase() : found
    },
    stop: async () => {
      await loop.stop()
      await names.stop()
    },
  }
}

async function load(
  feed: ChangeFeed,
  { query, connection, maxBytes, fewRows = FEW_ROWS }: RegistryOptions,
  pause: Pause,
  signal: AbortSignal,
): Promise<Serving> {
  const position = await feed.position()
  const tables = [AGENTS, STAKES]
  const few = await Promise.all(tables.map((_, i) => feed.rows(i, fewRows)))
  const loaded = few.every((rows) => rows !== null)
    ? few.map((rows, i) => tableOf(tables[i]!, rows))
    : await loadTables({ connection, maxBytes, tables }, signal)
  if (loaded === null) throw new TooLargeError()
  const [agentData, stakeData] = loaded
  const agents = new AgentsCopy(agentData!, await agentParsers(query))
  const stakes = new StakesCopy(stakeData!, await stakeParsers(query))
  for (const table of [agents, stakes]) await table.begin(pause)
  return { copy: { agents, stakes }, position }
}

function apply({ agents, stakes }: RegistryCopy, change: Change): void {
  if (change.table === 0) agents.apply(change)
  else stakes.apply(change)
}

const bytesOf = ({ agents, stakes }: RegistryCopy): number => agents.bytes + stakes.bytes

function checkSize(copy: RegistryCopy, maxBytes: number): void {
  if (bytesOf(copy) > maxBytes) throw new TooLargeError()
}

const PART_MS = 1

/** Lets others work after each millisecond. Throws when the signal aborts. */
function createPause(signal: AbortSignal): Pause {
  let start = performance.now()
  const restart = (resolve: () => void): void => {
    setImmediate(() => {
      start = performance.now()
      resolve()
    })
  }
  return () => {
    if (signal.aborted) throw STOPPED
    return performance.now() - start < PART_MS ? undefined : new Promise(restart)
  }
}
