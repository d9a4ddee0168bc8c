import type { Feed } from './feed.ts'
import { type LiveEvent, liveEvent, type OutboxRow } from './live-event.ts'
import type { EventFilter, EventPage } from './read-events.ts'

/**
 * Events after a position, in order and without end: from the feed where it reaches back so far, else from the database. The
 * next ones are read when the last were taken, so that a slow reader holds no more than a page.
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
    const recent = feed.since(position)
    const head = feed.head
    const page = recent === null ? await read(position, filter) : { rows: recent, upTo: head }
    for (const row of page.rows) {
      if (signal.aborted) return
      if (matches(row, filter)) yield liveEvent(row)
    }
    position = Math.max(position, page.upTo)
    if (recent !== null && feed.head <= position) await feed.changed(signal)
  }
}

function matches(row: OutboxRow, { types, agentPda }: EventFilter): boolean {
  return (types?.has(row.type) ?? true) && (agentPda === undefined || row.agentPda === agentPda)
}
