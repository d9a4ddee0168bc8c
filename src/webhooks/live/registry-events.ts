import { setTimeout as sleep } from 'node:timers/promises'
import { isDomainError } from '../../domain/errors.ts'
import { type EventFilter, type LiveEvent, liveEvent, type OutboxRow } from './live-event.ts'
import type { Feed } from './feed.ts'
import type { EventPage } from './recent-events.ts'

/** Earlier events that are sent for one charge. Each takes 0.06 to 0.22 ms. */
export const EVENTS_PER_CHARGE = 5
/** Until a stream asks for units again. Meanwhile, requests of its client can use some. */
const WAIT_MS = 5_000

/**
 * Events after a position, in order and without end: from the feed if its buffer goes back that
 * far, otherwise from the database. The next page is read only after the last event of this one was
 * consumed, so that a slow client needs the memory of one page. Pages of the database and events
 * that are older than the stream are charged.
 */
export async function* registryEvents(options: {
  feed: Feed
  read: (after: number, filter: EventFilter) => Promise<EventPage>
  filter: EventFilter
  after: number
  /** Throws RATE_LIMITED. */
  charge: () => void
  signal: AbortSignal
}): AsyncGenerator<LiveEvent> {
  const { feed, read, filter, charge, signal } = options
  let position = options.after
  const opened = feed.position
  while (!signal.aborted) {
    const buffered = feed.after(position)?.filter((row) => matches(row, filter))
    if (buffered === undefined) await charged(charge, signal)
    const page = buffered ? { rows: buffered, upTo: feed.position } : await read(position, filter)
    for (const [i, row] of page.rows.entries()) {
      if (row.position <= opened && i % EVENTS_PER_CHARGE === 0) await charged(charge, signal)
      if (signal.aborted) return
      yield liveEvent(row)
    }
    position = Math.max(position, page.upTo)
    if (buffered && feed.position <= position) await feed.nextChange(signal)
  }
}

/** Waits until the client has units: clients do not open a stream again that has failed. */
async function charged(charge: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return charge()
    } catch (error) {
      if (!isDomainError(error, 'RATE_LIMITED')) throw error
      await sleep(WAIT_MS, undefined, { signal }).catch(() => undefined)
    }
  }
}

function matches(row: OutboxRow, { types, agentPda, agentPdas }: EventFilter): boolean {
  return (
    (types?.has(row.type) ?? true) &&
    (agentPda === undefined || row.agentPda === agentPda) &&
    (agentPdas?.has(row.agentPda) ?? true)
  )
}
