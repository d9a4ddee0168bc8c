import { useState } from 'react'
import { useQuery } from 'urql'
import { eventTitle } from '../../events/types.ts'
import {
  Empty,
  ErrorState,
  Link,
  Loading,
  Pager,
  RelativeTime,
  Section,
  Status,
  Table,
  usePolling,
} from '../../ui/index.ts'
import { type DeliveryFieldsFragment, WebhookLogDocument } from './page.generated.ts'
import { responseOf } from './response.ts'

const PAGE_SIZE = 25
const REFRESH_MS = 5_000

export function DeliveryLog({ id }: { readonly id: string }) {
  // The cursors of the pages before this one. The first page has none.
  const [cursors, setCursors] = useState<readonly string[]>([])
  const [{ data, error }, refetch] = useQuery({
    query: WebhookLogDocument,
    variables: { id, first: PAGE_SIZE, after: cursors.at(-1) ?? null },
    requestPolicy: 'cache-and-network',
  })
  const refresh = (): void => refetch({ requestPolicy: 'network-only' })
  usePolling(refresh, REFRESH_MS)
  const page = data?.webhookDeliveries
  return (
    <Section
      title="Deliveries"
      lead="One line for each event, newest first. Open one to see its attempts and to send it again."
    >
      {error !== undefined ? (
        <ErrorState error={error} retry={refresh} />
      ) : !page ? (
        <Loading rows={4} label="Loading the deliveries" />
      ) : page.nodes.length === 0 ? (
        <Empty title="No deliveries yet">
          <p>Send a ping to test your receiver. Events appear here when they happen.</p>
        </Empty>
      ) : (
        <>
          <Table caption="Deliveries" columns={columns(id)} rows={page.nodes} keyOf={(row) => row.id} />
          <Pager
            text={`${page.totalCount} ${page.totalCount === 1 ? 'delivery' : 'deliveries'}`}
            previous={cursors.length === 0 ? null : () => setCursors(cursors.slice(0, -1))}
            next={page.pageInfo.hasNextPage ? () => setCursors([...cursors, page.pageInfo.endCursor!]) : null}
          />
        </>
      )}
    </Section>
  )
}

const columns = (id: string) => [
  {
    title: 'Event',
    cell: (row: DeliveryFieldsFragment) => (
      <Link href={`/webhooks/${id}/deliveries/${row.id}`}>{eventTitle(row.eventType)}</Link>
    ),
  },
  { title: 'Status', cell: ({ status }: DeliveryFieldsFragment) => <Status value={status} /> },
  { title: 'Attempts', cell: (row: DeliveryFieldsFragment) => row.attemptCount },
  {
    title: 'Last response',
    cell: ({ attempts: [last] }: DeliveryFieldsFragment) =>
      last === undefined
        ? 'None yet'
        : last.responseStatus
          ? `HTTP ${last.responseStatus}, ${last.durationMs} ms`
          : responseOf(last),
  },
  { title: 'Created', cell: (row: DeliveryFieldsFragment) => <RelativeTime value={row.createdAt} /> },
]
