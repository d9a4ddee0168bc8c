import { Worker } from 'node:worker_threads'
import { withTimeout } from '../../platform/async/promises.ts'
import type { Logger } from '../../platform/logger.ts'
import type { AgentRow } from '../rows.ts'
import type { CountedPage } from '../table-copy.ts'
import type { NamedAgent, NameQuery } from './name-index.ts'
import type { NamesMessage, QueryMessage, Reply } from './worker.ts'

/** Agents by slot. */
export interface NamedAgents {
  readonly size: number
  /** The slots that were ever used are below this number. */
  readonly slots: number
  /** All slots are below this number. */
  readonly capacity: number
  /** Null for a slot without an agent. */
  named(slot: number): NamedAgent | null
  /** Searches their names. Null if PostgreSQL does. */
  names: NameThread | null
}

/** Agents in a message. Collecting them takes half a millisecond. */
const BATCH = 500
/** The thread answers within milliseconds, unless the processors are busy. */
const TIMEOUT_MS = 2_000
const STUCK_MS = 10_000

/** A row that was in a slot until a change, and the change after it. */
interface Replaced {
  readonly slot: number
  readonly row: AgentRow
  next: Replaced | null
}

/**
 * A thread that searches names. It gets all agents, and then each change before the next search. It
 * has the agents of the moment at which a search begins, so rows that are replaced meanwhile are
 * kept until it ends.
 */
export class NameThread {
  isReady = false
  bytes = 0
  readonly #worker: Worker
  readonly #agents: NamedAgents
  /** Of messages that the thread has not answered yet, oldest first. */
  readonly #waiting: ((reply: Reply | null) => void)[] = []
  #isAlive = true
  /** When it last answered, or was given something to do. */
  #busySince = 0
  /** Slots below this were sent. */
  #sent = 0
  readonly #changed = new Set<number>()
  #lastReplaced: { next: Replaced | null } = { next: null }

  constructor(agents: NamedAgents, logger: Logger) {
    this.#agents = agents
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: agents.capacity,
      name: 'search',
    })
    // It does not keep the process alive.
    this.#worker.unref()
    this.#worker.on('message', (reply: Reply) => {
      this.#busySince = performance.now()
      this.bytes = reply.bytes
      this.#waiting.shift()!(reply)
    })
    this.#worker.on('error', (error) => logger.error({ err: error }, 'the search thread failed'))
    this.#worker.on('exit', () => {
      this.#isAlive = false
      this.isReady = false
      for (const resolve of this.#waiting.splice(0)) resolve(null)
    })
  }

  /** False if it must be replaced. */
  get isAlive(): boolean {
    const isStuck = this.#waiting.length > 0 && performance.now() - this.#busySince > STUCK_MS
    return this.#isAlive && !isStuck
  }

  /** Sends all agents. Returns false if the thread ended. */
  async fill(): Promise<boolean> {
    while (this.#sent < this.#agents.slots) {
      const start = this.#sent
      this.#sent = Math.min(start + BATCH, this.#agents.slots)
      const slots = Array.from({ length: this.#sent - start }, (_, i) => start + i)
      if ((await this.#post(this.#messageOf(slots))) === null) return false
    }
    this.isReady = this.#isAlive
    return this.isReady
  }

  /** Must be called when a slot is filled. */
  changed(slot: number): void {
    // Other slots follow.
    if (slot >= this.#sent && !this.isReady) return
    if (this.#changed.size >= BATCH) this.flush()
    this.#changed.add(slot)
  }

  /** Must be called when the agent of a slot is replaced or removed, before it is. */
  replaced(slot: number, row: AgentRow): void {
    const replaced = { slot, row, next: null }
    this.#lastReplaced.next = replaced
    this.#lastReplaced = replaced
    this.changed(slot)
  }

  /** Sends changes. Must be called now and then. */
  flush(): void {
    if (this.#changed.size === 0) return
    void this.#post(this.#messageOf([...this.#changed]))
    this.#changed.clear()
  }

  /** The total and a page as of now. Undefined if it cannot answer. */
  async search(
    query: NameQuery,
    rowOf: (slot: number) => AgentRow,
  ): Promise<CountedPage<AgentRow> | undefined> {
    if (!this.isReady) return undefined
    this.flush()
    const before = this.#lastReplaced
    const message = { query, until: Date.now() + TIMEOUT_MS }
    const found = (await withTimeout(TIMEOUT_MS, this.#post(message)))?.found ?? null
    if (found === null || !this.isReady) return undefined
    const replaced = new Map<number, AgentRow>()
    for (let each = before.next; each !== null; each = each.next)
      if (!replaced.has(each.slot)) replaced.set(each.slot, each.row)
    const rows = Array.from(found.slots, (slot, i) => ({
      ...(replaced.get(slot) ?? rowOf(slot)),
      nameSimilarity: shortest(found.similarities[i]!),
    }))
    return { total: found.total, rows }
  }

  async stop(): Promise<void> {
    this.isReady = false
    await this.#worker.terminate()
  }

  #post(message: NamesMessage | QueryMessage): Promise<Reply | null> {
    if (!this.#isAlive) return Promise.resolve(null)
    if (this.#waiting.length === 0) this.#busySince = performance.now()
    const { promise, resolve } = Promise.withResolvers<Reply | null>()
    this.#waiting.push(resolve)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
    this.#worker.postMessage(message)
    return promise
  }

  #messageOf(slots: readonly number[]): NamesMessage {
    const numbers = new Float64Array(slots.length * 4)
    const texts: (string | null)[] = []
    for (const [i, slot] of slots.entries()) {
      const agent = this.#agents.named(slot)
      if (agent === null) numbers[i * 4] = slot
      else numbers.set([slot, agent.profile, agent.reputation, agent.createdAt], i * 4)
      texts.push(agent?.pda ?? null, agent?.name ?? null, agent?.trigrams ?? null)
    }
    return { numbers, texts }
  }
}

const DIGITS = [6, 7, 8]

/** The shortest number that is the same with the precision of PostgreSQL's `real`. */
function shortest(value: number): number {
  for (const digits of DIGITS) {
    const rounded = Number(value.toPrecision(digits))
    if (Math.fround(rounded) === value) return rounded
  }
  return Number(value.toPrecision(9))
}

export interface NamesOptions {
  readonly maxBytes: number
  readonly logger: Logger
  readonly minNames?: number
}

/** PostgreSQL searches fewer agents in a millisecond. */
export const MIN_NAMES = 1_000
/** Between starts. */
const RESTART_MS = 3_000
/** After the names were too large. */
const TOO_LARGE_MS = 600_000

/** Starts and stops the thread. */
export function createNames({ maxBytes, logger, minNames = MIN_NAMES }: NamesOptions) {
  let kept: NamedAgents | null = null
  let notBefore = 0

  async function stop(): Promise<void> {
    const thread = kept?.names
    if (kept !== null) kept.names = null
    await thread?.stop()
  }

  async function start(agents: NamedAgents): Promise<void> {
    const started = performance.now()
    notBefore = started + RESTART_MS
    const thread = new NameThread(agents, logger)
    agents.names = thread
    if (await thread.fill())
      logger.info(
        { bytes: thread.bytes, loadMs: Math.round(performance.now() - started) },
        'names are in memory',
      )
  }

  return {
    stop,
    /**
     * Starts a thread for the copy that answers reads, and again if it ended or is stuck. Stops it
     * if there is no copy. Must be called now and then, with the memory of the copy.
     */
    keep: (agents: NamedAgents | null, copyBytes = 0): void => {
      const thread = kept?.names ?? null
      if (agents !== kept || thread?.isAlive === false) void stop()
      kept = agents
      if (agents === null) return
      if (thread !== null && thread.bytes + copyBytes > maxBytes) {
        logger.warn(`PostgreSQL searches by name: a copy with names needs more than ${maxBytes} bytes`)
        notBefore = performance.now() + TOO_LARGE_MS
        void stop()
      }
      if (agents.names === null && agents.size >= minNames && performance.now() >= notBefore)
        void start(agents)
      agents.names?.flush()
    },
  }
}
