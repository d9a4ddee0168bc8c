import type { Logger } from '../platform/logger.ts'
import { WakeUp } from '../platform/async/wake-up.ts'
import type { OutboxRow } from './live-event.ts'
import type { EventPage } from './read-events.ts'

/** Newest events that a process keeps for its streams. */
const KEPT = 1_000
const POLL_MS = 1_000
/** The feed goes on this long after the last stream, for clients that come back. */
const LINGER_MS = 10_000

export interface FeedSource {
  newest(): Promise<number>
  after(position: number): Promise<EventPage>
  /** Hints at new events until closed; null where only looking tells. */
  readonly hints: ((onHint: () => void) => Promise<{ readonly lost: boolean; close(): Promise<void> }>) | null
}

/**
 * The newest events of the outbox, read once for all streams of a process, and only while there are any. Looking every second is
 * what counts; hints save the wait.
 */
export interface Feed {
  /** Resolves when the feed knows where the outbox ends. To be left again, once. */
  join(): Promise<() => void>
  /** Up to here all is known. */
  readonly head: number
  /** What comes after the position; null where the feed does not reach back so far. */
  since(position: number): readonly OutboxRow[] | null
  /** Resolves at the next change, or when the signal is aborted. */
  changed(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

export function createFeed(source: FeedSource, logger: Pick<Logger, 'warn'>): Feed {
  const wakeUp = new WakeUp()
  const waiting = new Set<() => void>()
  let kept: OutboxRow[] = []
  let floor = 0
  let head = 0
  let members = 0
  let idleSince = 0
  let closed = false
  let running: Promise<void> | null = null
  let ready: Promise<void> | null = null

  const take = ({ rows, upTo }: EventPage): void => {
    if (upTo <= head) return
    kept.push(...rows)
    head = upTo
    for (const row of kept.splice(0, Math.max(0, kept.length - KEPT))) floor = row.position
    for (const resolve of waiting) resolve()
  }

  const isWanted = (): boolean => !closed && (members > 0 || performance.now() - idleSince < LINGER_MS)

  const run = async (): Promise<void> => {
    let listening: { readonly lost: boolean; close(): Promise<void> } | undefined
    try {
      while (isWanted()) {
        try {
          if (listening?.lost !== false) listening = await source.hints?.(() => wakeUp.wake())
          const page = await source.after(head)
          const more = page.upTo > head
          take(page)
          if (more) continue
        } catch (error) {
          logger.warn({ err: error }, 'reading events for live streams failed and is tried again')
        }
        await wakeUp.sleep(POLL_MS)
      }
    } finally {
      running = null
      ready = null
      await listening?.close()
    }
  }

  const start = async (): Promise<void> => {
    head = await source.newest()
    floor = head
    kept = []
    idleSince = performance.now()
    running = run()
  }

  return {
    join: async () => {
      ready ??= start().catch((error: unknown) => {
        ready = null
        throw error
      })
      members += 1
      const leave = (): void => {
        members -= 1
        idleSince = performance.now()
      }
      try {
        await ready
        return leave
      } catch (error) {
        leave()
        throw error
      }
    },
    get head() {
      return head
    },
    since: (position) => {
      if (position < floor) return null
      const first = kept.findIndex((row) => row.position > position)
      return first === -1 ? [] : kept.slice(first)
    },
    changed: async (signal) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const stop = (): void => resolve()
      waiting.add(stop)
      signal.addEventListener('abort', stop)
      if (signal.aborted) stop()
      await promise
      signal.removeEventListener('abort', stop)
      waiting.delete(stop)
    },
    close: async () => {
      closed = true
      wakeUp.wake()
      await running
    },
  }
}
