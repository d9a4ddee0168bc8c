import { createBackgroundLoop } from '../platform/async/background-loop.ts'
import { withTimeout } from '../platform/async/promises.ts'
import type { Metrics } from '../platform/metrics/metrics.ts'
import { AGENTS } from './agents-copy.ts'
import { type Change, ChangeFeed, covers } from './changes.ts'
import { createNames, type NamesOptions } from './search/name-thread.ts'
import { exposeRegistry, type RegistryStatus } from './metrics.ts'
import type { Pause } from './table-copy.ts'
import { STAKES } from './stakes-copy.ts'
import { loadCopy, type LoadOptions, type RegistryCopy, type Serving } from './loader.ts'

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

export interface RegistryOptions extends LoadOptions, NamesOptions {
  /** The copy is dropped if it needs more. The names for searches are dropped first. */
  readonly maxBytes: number
  readonly metrics: Metrics
}

/** While more changes than this are applied, which takes a millisecond, the database answers. */
const MAX_CHANGES_AT_ONCE = 100
/** More are read faster as a whole. */
const MAX_CHANGES = 20_000
/**
 * For the statement before an answer that asks for changes (the fence), which usually takes less
 * than a millisecond. After this time PostgreSQL answers reads directly.
 */
const FENCE_TIMEOUT_MS = 2_000
/**
 * Statements at a time. With one, a request that arrives during a statement would wait for its end
 * and for the next.
 */
const FENCES = 3
const MAX_ATTEMPTS = 5
const POLL_MS = 1_000
const RETRY_MS = 2_000
/** After the copy was too large. */
const TOO_LARGE_MS = 600_000

class TooLargeError extends Error {}
const STOPPED = new Error('the process stops')

/** Loads all agents and stakes in the background, and answers reads from then on. */
export function startRegistry(options: RegistryOptions): Registry {
  const { logger, metrics } = options
  const copy = new KeptCopy(options, () => loop.wake())
  const loop = createBackgroundLoop({
    retryMs: RETRY_MS,
    step: (signal) => copy.keep(signal),
    failures: {
      report: (err) => {
        if (err !== STOPPED) logger.warn({ err }, 'agents and stakes cannot be read into memory')
      },
    },
  })
  loop.start()
  const count = exposeRegistry(() => copy.status(), metrics)
  return {
    status: () => copy.status(),
    read: async (fromMemory, fromDatabase) => {
      const current = await copy.current()
      const answer = current === null ? undefined : fromMemory(current)
      const found = answer instanceof Promise ? await answer : answer
      count(found === undefined ? 'database' : 'memory')
      return found === undefined ? fromDatabase() : found
    },
    stop: async () => {
      await loop.stop()
      await copy.stop()
    },
  }
}

/** The copy of this process: absent, behind the database, or serving reads. */
class KeptCopy {
  readonly #options: RegistryOptions
  readonly #wake: () => void
  readonly #feed: ChangeFeed
  readonly #names: ReturnType<typeof createNames>
  readonly #fence = shareReads(() => this.#readChanges(), FENCE_TIMEOUT_MS, FENCES)
  /** A new object after each fence. Null while reads need the database. */
  #serving: Serving | null = null
  /** A complete copy with more changes to read than a fence may apply. */
  #behind: Serving | null = null
  /** The update that is running. */
  #update: Promise<void> | null = null
  #loadMs = 0

  /** `wake` runs `keep` now. */
  constructor(options: RegistryOptions, wake: () => void) {
    this.#options = options
    this.#wake = wake
    this.#feed = new ChangeFeed([AGENTS, STAKES], options.query)
    this.#names = createNames(options)
  }

  /**
   * The copy with everything that was committed before this call. Null if reads need the database.
   */
  async current(): Promise<RegistryCopy | null> {
    const copy = this.#serving === null ? null : await this.#fence().catch(() => null)
    // The error is dropped: the read goes to PostgreSQL, which reports its own.
    if (copy === null && this.#serving !== null) this.#suspend()
    return copy
  }

  /** Loads the copy, or applies what has changed. Returns the milliseconds until the next time. */
  async keep(signal: AbortSignal): Promise<number> {
    const { maxBytes, logger } = this.#options
    const pause = createPause(signal)
    let isNew = false
    try {
      if (this.#serving !== null) {
        // The next request must not wait for what hangs.
        if ((await this.#fence()) === null && this.#serving !== null) this.#suspend()
      } else {
        const caughtUp = this.#behind && (await this.#catchUp(this.#behind, pause))
        this.#behind = null
        isNew = caughtUp === null
        this.#serving = caughtUp ?? (await this.#load(pause, signal))
      }
      if (this.#serving === null) return 0
      const { copy } = this.#serving
      checkSize(copy, maxBytes)
      this.#names.keep(copy.agents, bytesOf(copy))
      return POLL_MS
    } catch (error) {
      if (!(error instanceof TooLargeError)) throw error
      this.#serving = null
      this.#behind = null
      this.#names.keep(null)
      // Rows that changed left gaps. Without them, a new copy may fit.
      if (!isNew) return 0
      logger.warn(`reads of agents and stakes need the database: a copy needs more than ${maxBytes} bytes`)
      return TOO_LARGE_MS
    }
  }

  status(): RegistryStatus {
    const copy = this.#serving?.copy
    return {
      ready: copy !== undefined,
      agents: copy?.agents.size ?? 0,
      stakes: copy?.stakes.size ?? 0,
      bytes: copy === undefined ? 0 : bytesOf(copy) + (copy.agents.names?.bytes ?? 0),
      searches: copy?.agents.names?.isReady ?? false,
      loadMs: this.#loadMs,
    }
  }

  stop(): Promise<void> {
    return this.#names.stop()
  }

  async #readChanges(): Promise<RegistryCopy | null> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS && this.#serving !== null; attempt += 1) {
      const before: Serving = this.#serving
      const { position, isChanged } = await this.#feed.check(before.position)
      const isComplete = (): boolean =>
        this.#serving?.copy === before.copy && (!isChanged || covers(this.#serving.position, position))
      // The update of another fence may have begun before the check. The next one cannot.
      if (!isComplete()) await this.#runUpdate()
      if (!isComplete()) await this.#runUpdate()
      if (!isComplete()) continue
      // A running update replaces `#serving` only if it is still the object that it began with.
      if (!isChanged && this.#serving === before && this.#update === null)
        this.#serving = { copy: before.copy, position }
      return before.copy
    }
    return null
  }

  /** Reads changes and applies them. Calls share the update that is running. */
  #runUpdate(): Promise<void> {
    if (this.#update !== null) return this.#update
    const update = this.#applyChanges().finally(() => {
      if (this.#update === update) this.#update = null
    })
    this.#update = update
    return update
  }

  async #applyChanges(): Promise<void> {
    const before = this.#serving
    if (before === null) return
    const { position, rows } = await this.#feed.changes(before.position, MAX_CHANGES_AT_ONCE)
    if (this.#serving !== before) return
    if (rows === null) return this.#suspend()
    // If a change cannot be applied, all rows are read again.
    this.#serving = null
    for (const change of rows) apply(before.copy, change)
    this.#serving = { copy: before.copy, position }
  }

  /** Reads go to the database until `keep` has caught up. */
  #suspend(): void {
    this.#behind = this.#serving
    this.#serving = null
    // Its connection may hang.
    this.#update = null
    this.#wake()
  }

  /** Null if there are too many changes, or another server. */
  async #catchUp({ copy, position }: Serving, pause: Pause): Promise<Serving | null> {
    for (;;) {
      const { position: next, rows } = await this.#feed.changes(position, MAX_CHANGES)
      if (rows === null) return null
      this.#behind = null
      for (const change of rows) {
        apply(copy, change)
        const waiting = pause()
        if (waiting !== undefined) await waiting
      }
      checkSize(copy, this.#options.maxBytes)
      position = next
      if (rows.length <= MAX_CHANGES_AT_ONCE) return { copy, position }
    }
  }

  async #load(pause: Pause, signal: AbortSignal): Promise<Serving | null> {
    this.#names.keep(null)
    const start = performance.now()
    const complete = await loadCopy(this.#feed, this.#options, pause, signal)
    if (complete === null) throw new TooLargeError()
    const loaded = await this.#catchUp(complete, pause)
    this.#loadMs = Math.round(performance.now() - start)
    if (loaded !== null) {
      const { agents, stakes } = loaded.copy
      const fields = { agents: agents.size, stakes: stakes.size, loadMs: this.#loadMs }
      this.#options.logger.info(fields, 'agents and stakes are in memory')
    }
    return loaded
  }
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

/**
 * Lets callers share a read. At most `parallel` run at a time, and callers that arrive meanwhile
 * share the next one, so no result is older than its call. A read that exceeds `timeoutMs` returns
 * null.
 */
export function shareReads<Result>(
  read: () => Promise<Result>,
  timeoutMs: number,
  parallel = 1,
): () => Promise<Result | null> {
  const running = new Set<Promise<void>>()
  let next: Promise<Result | null> | null = null
  const start = async (): Promise<Result | null> => {
    while (running.size >= parallel) await Promise.race(running)
    // Calls in the same turn of the event loop share the read.
    await new Promise((resolve) => setImmediate(resolve))
    next = null
    const result = withTimeout(timeoutMs, read())
    const settled: Promise<void> = result.then(
      () => void running.delete(settled),
      () => void running.delete(settled),
    )
    running.add(settled)
    return result
  }
  return () => (next ??= start())
}
