import type { EventFilter } from './event-filter.ts'
import type { Feed } from './feed.ts'
import { type LiveEvent, liveEvent, type OutboxRow } from './live-event.ts'
import type { EventPage } from './read-events.ts'

/**
 * Events after a position, in order and without end: from the feed if its buffer goes back that
 * far, otherwise from the database. The next page is read only after the last event of this one was
 * consumed, so that a slow client needs the memory of one page.
 */
export async function* registryEvents(options: {
  feed: Feed
  read: (after: number, filter: EventFilter) => Promise<EventPage>
  filter: EventFilter
  after: number
  signal: AbortSignal
}): AsyncGenerator<LiveEvent> {
  const { feed, read, filter, signal } = options
  let position = options.after
  while (!signal.aborted) {
    const buffered = feed.after(position)
    const page = buffered === null ? await read(position, filter) : { rows: buffered, upTo: feed.position }
    for (const row of page.rows) {
      if (signal.aborted) return
      if (matches(row, filter)) yield liveEvent(row)
    }
    position = Math.max(position, page.upTo)
    if (buffered !== null && feed.position <= position) await feed.nextChange(signal)
  }
}

function matches(row: OutboxRow, { types, agentPda, agentPdas }: EventFilter): boolean {
  return (
    (types?.has(row.type) ?? true) &&
    (agentPda === undefined || row.agentPda === agentPda) &&
    (agentPdas?.has(row.agentPda) ?? true)
  )
}
