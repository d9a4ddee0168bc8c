import { useQuery } from 'urql'
import { EventList } from '../../events/event-list.tsx'
import { NewestEventsDocument } from '../../events/events.generated.ts'
import { DISTINCT_TYPES } from '../../events/types.ts'
import { ErrorState, Loading, useKept, usePolling } from '../../ui/index.ts'

const REFRESH_MS = 10_000
const EVENTS = 8

export default function Newest() {
  const [{ data: read, error }, refresh] = useQuery({
    query: NewestEventsDocument,
    variables: { filter: { types: DISTINCT_TYPES }, first: EVENTS },
    requestPolicy: 'cache-and-network',
  })
  const data = useKept(read)
  const retry = (): void => refresh({ requestPolicy: 'network-only' })
  usePolling(retry, REFRESH_MS)
  if (data === undefined)
    return error === undefined ? (
      <Loading rows={6} label="Loading the changes" />
    ) : (
      <ErrorState error={error} retry={retry} />
    )
  const { nodes } = data.registryEvents
  return nodes.length === 0 ? (
    <p className="hint">Nothing happened yet.</p>
  ) : (
    <EventList label="Newest changes" events={nodes} withAgent />
  )
}
