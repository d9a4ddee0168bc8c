import { EventList } from '../../events/event-list.tsx'
import { NewestEventsDocument } from '../../events/events.generated.ts'
import { DISTINCT_TYPES } from '../../events/types.ts'
import { Loaded, useRead } from '../../ui/index.ts'

const REFRESH_MS = 10_000
const QUERY = {
  query: NewestEventsDocument,
  variables: { filter: { types: DISTINCT_TYPES }, first: 8 },
}

export function Newest() {
  const read = useRead(QUERY, { everyMs: REFRESH_MS, keep: true })
  return (
    <Loaded read={read} data={read.data?.registryEvents.nodes} rows={6} label="Loading the changes">
      {(events) =>
        events.length === 0 ? (
          <p className="hint">Nothing happened yet.</p>
        ) : (
          <EventList label="Newest changes" events={events} withAgent />
        )
      }
    </Loaded>
  )
}
