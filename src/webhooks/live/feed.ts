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

export type Feed = ReturnType<typeof createFeed>

/**
 * The newest events of the outbox. One reader serves all streams of a process and stops without
 * them.
 */
export function createFeed(options: { orm: Orm; kysely: Kysely<Database>; logger: Pick<Logger, 'warn'> }) {
  const { orm, kysely, logger } = options
  const wakeUp = new WakeUp()
  const changes = new EventEmitter().setMaxListeners(0)
  /** All events in (bufferStart, position]. */
  let buffer: OutboxRow[] = []
  let bufferStart = 0
  let position = 0
  let subscribers = 0
  let idleSince = 0
  let closed = false
  let ready: Promise<void> | undefined
  let running: Promise<void> | undefined

  const isNeeded = (): boolean => !closed && (subscribers > 0 || performance.now() - idleSince < LINGER_MS)

  /** Reads one page. Returns false if there is nothing new. */
  const readPage = async (): Promise<boolean> => {
    const { rows, upTo } = await readEvents(kysely, position, {})
    if (upTo <= position) return false
    buffer.push(...rows)
    position = upTo
    const removed = buffer.splice(0, Math.max(0, buffer.length - BUFFER_SIZE))
    bufferStart = removed.at(-1)?.position ?? bufferStart
    changes.emit('change')
    return true
  }

  const failures = createFailureLog(logger, 'reading events for live streams failed, retrying')
  const run = async (): Promise<void> => {
    let listening: Listening | undefined
    while (isNeeded()) {
      try {
        // Notifications only shorten the wait. Polling finds every event.
        if (listening?.lost !== false) listening = await listen(orm, EVENTS_CHANNEL, () => wakeUp.wake())
        const isMore = await readPage()
        failures.clear()
        if (isMore) continue
      } catch (error) {
        failures.report(error)
      }
      await wakeUp.sleep(POLL_MS)
    }
    ready = undefined
    await listening?.close()
  }

  const start = async (): Promise<void> => {
    position = await newestPosition(kysely)
    bufferStart = position
    buffer = []
    running = run()
  }

  const unsubscribe = (): void => {
    subscribers -= 1
    idleSince = performance.now()
  }

  return {
    /** Resolves when the feed knows the newest position. Call the result once to unsubscribe. */
    subscribe: async () => {
      subscribers += 1
      ready ??= start().catch((error: unknown) => {
        ready = undefined
        throw error
      })
      try {
        await ready
        return unsubscribe
      } catch (error) {
        unsubscribe()
        throw error
      }
    },
    /** The feed has read all events up to this position. */
    get position() {
      return position
    },
    /** The events after a position. Null if the buffer does not go back that far. */
    after: (given: number): readonly OutboxRow[] | null => {
      if (given < bufferStart) return null
      const first = buffer.findIndex((row) => row.position > given)
      return first === -1 ? [] : buffer.slice(first)
    },
    /** Resolves at the next new event, or when the signal is aborted. */
    nextChange: async (signal: AbortSignal) => {
      await once(changes, 'change', { signal }).catch(() => undefined)
    },
    close: async () => {
      closed = true
      wakeUp.wake()
      await running
    },
  }
}
