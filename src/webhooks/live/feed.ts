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

/** The newest events. One reader serves all streams of a process and stops without them. */
export class Feed {
  readonly #options: FeedOptions
  readonly #wakeUp = new WakeUp()
  readonly #changes = new EventEmitter().setMaxListeners(0)
  /** All events after `#start`, up to `position`. */
  #rows: OutboxRow[] = []
  #start = 0
  #position = 0
  #subscribers = 0
  #idleSince = 0
  #closed = false
  #ready: Promise<void> | undefined
  #running: Promise<void> | undefined

  constructor(options: FeedOptions) {
    this.#options = options
  }

  /** Resolves when the feed knows the newest position. Call the result once to unsubscribe. */
  async subscribe(): Promise<() => void> {
    const unsubscribe = (): void => {
      this.#subscribers -= 1
      this.#idleSince = performance.now()
    }
    this.#subscribers += 1
    this.#ready ??= this.#begin().catch((error: unknown) => {
      this.#ready = undefined
      throw error
    })
    try {
      await this.#ready
      return unsubscribe
    } catch (error) {
      unsubscribe()
      throw error
    }
  }

  /** The feed has read all events up to this position. */
  get position(): number {
    return this.#position
  }

  /** The events after a position. Null if the buffer does not go back that far. */
  after(position: number): readonly OutboxRow[] | null {
    if (position < this.#start) return null
    const first = this.#rows.findIndex((row) => row.position > position)
    return first === -1 ? [] : this.#rows.slice(first)
  }

  /** Resolves at the next new event, or when the signal is aborted. */
  async nextChange(signal: AbortSignal): Promise<void> {
    await once(this.#changes, 'change', { signal }).catch(() => undefined)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#wakeUp.wake()
    await this.#running
  }

  get #isNeeded(): boolean {
    return !this.#closed && (this.#subscribers > 0 || performance.now() - this.#idleSince < LINGER_MS)
  }

  async #begin(): Promise<void> {
    this.#position = await newestPosition(this.#options.kysely)
    this.#start = this.#position
    this.#rows = []
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
        const isMore = await this.#readPage()
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

  /** Returns false if there is nothing new. */
  async #readPage(): Promise<boolean> {
    const { rows, upTo } = await readEvents(this.#options.kysely, this.#position, {})
    if (upTo <= this.#position) return false
    this.#rows.push(...rows)
    this.#position = upTo
    const removed = this.#rows.splice(0, Math.max(0, this.#rows.length - BUFFER_SIZE))
    this.#start = removed.at(-1)?.position ?? this.#start
    this.#changes.emit('change')
    return true
  }
}
