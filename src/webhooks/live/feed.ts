import { EventEmitter, once } from 'node:events'
import type { Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'
import { listen, type Listening } from '../../db/listen.ts'
import type { Orm } from '../../db/orm-types.ts'
import { EVENTS_CHANNEL } from '../../domain/webhook-events.ts'
import { WakeUp } from '../../platform/async/background-loop.ts'
import type { Logger } from '../../platform/logger.ts'
import { createFailureLog } from '../../platform/process/failure-log.ts'
import type { OutboxRow } from './live-event.ts'
import { newestPosition, readEvents } from './recent-events.ts'

const BUFFER_SIZE = 1_000
const POLL_MS = 1_000
/** The feed continues after its last subscriber has left, because clients often reconnect. */
const LINGER_MS = 10_000

interface FeedOptions {
  readonly orm: Orm
  readonly kysely: Kysely<Database>
  readonly logger: Pick<Logger, 'warn'>
}

/**
 * The newest events of the outbox. One reader serves all streams of a process and stops without
 * them.
 */
export class Feed {
  readonly #options: FeedOptions
  readonly #buffer: EventBuffer
  readonly #wakeUp = new WakeUp()
  #subscribers = 0
  #idleSince = 0
  #closed = false
  #ready: Promise<void> | undefined
  #running: Promise<void> | undefined

  constructor(options: FeedOptions) {
    this.#options = options
    this.#buffer = new EventBuffer(options.kysely)
  }

  /** Resolves when the feed knows the newest position. Call the result once to unsubscribe. */
  async subscribe(): Promise<() => void> {
    this.#subscribers += 1
    this.#ready ??= this.#start().catch((error: unknown) => {
      this.#ready = undefined
      throw error
    })
    try {
      await this.#ready
      return () => this.#unsubscribe()
    } catch (error) {
      this.#unsubscribe()
      throw error
    }
  }

  /** The feed has read all events up to this position. */
  get position(): number {
    return this.#buffer.end
  }

  /** The events after a position. Null if the buffer does not go back that far. */
  after(position: number): readonly OutboxRow[] | null {
    return this.#buffer.after(position)
  }

  /** Resolves at the next new event, or when the signal is aborted. */
  nextChange(signal: AbortSignal): Promise<void> {
    return this.#buffer.nextChange(signal)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#wakeUp.wake()
    await this.#running
  }

  #unsubscribe(): void {
    this.#subscribers -= 1
    this.#idleSince = performance.now()
  }

  get #isNeeded(): boolean {
    return !this.#closed && (this.#subscribers > 0 || performance.now() - this.#idleSince < LINGER_MS)
  }

  async #start(): Promise<void> {
    await this.#buffer.restart()
    this.#running = this.#run()
  }

  async #run(): Promise<void> {
    const { orm, logger } = this.#options
    const failures = createFailureLog(logger, 'reading events for live streams failed, retrying')
    let listening: Listening | undefined
    while (this.#isNeeded) {
      try {
        // Notifications only shorten the wait. Polling finds every event.
        if (listening?.lost !== false)
          listening = await listen(orm, EVENTS_CHANNEL, () => this.#wakeUp.wake())
        const isMore = await this.#buffer.readPage()
        failures.clear()
        if (isMore) continue
      } catch (error) {
        failures.report(error)
      }
      await this.#wakeUp.sleep(POLL_MS)
    }
    this.#ready = undefined
    await listening?.close()
  }
}

/** The last events that were read. */
class EventBuffer {
  readonly #kysely: Kysely<Database>
  readonly #changes = new EventEmitter().setMaxListeners(0)
  /** All events in (start, end]. */
  #rows: OutboxRow[] = []
  #start = 0
  end = 0

  constructor(kysely: Kysely<Database>) {
    this.#kysely = kysely
  }

  /** Forgets all events, and continues after the newest one. */
  async restart(): Promise<void> {
    this.end = await newestPosition(this.#kysely)
    this.#start = this.end
    this.#rows = []
  }

  /** Reads one page. Returns false if there is nothing new. */
  async readPage(): Promise<boolean> {
    const { rows, upTo } = await readEvents(this.#kysely, this.end, {})
    if (upTo <= this.end) return false
    this.#rows.push(...rows)
    this.end = upTo
    const removed = this.#rows.splice(0, Math.max(0, this.#rows.length - BUFFER_SIZE))
    this.#start = removed.at(-1)?.position ?? this.#start
    this.#changes.emit('change')
    return true
  }

  after(position: number): readonly OutboxRow[] | null {
    if (position < this.#start) return null
    const first = this.#rows.findIndex((row) => row.position > position)
    return first === -1 ? [] : this.#rows.slice(first)
  }

  async nextChange(signal: AbortSignal): Promise<void> {
    await once(this.#changes, 'change', { signal }).catch(() => undefined)
  }
}
