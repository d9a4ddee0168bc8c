import { useState } from 'react'
import { useQuery } from 'urql'
import {
  Button,
  Empty,
  ErrorState,
  Link,
  Loading,
  Pager,
  RelativeTime,
  Section,
  Status,
  Table,
} from '../../ui/index.ts'
import { type DeliveryFieldsFragment, WebhookLogDocument } from './page.generated.ts'

const PAGE_SIZE = 25

export function DeliveryLog({ id }: { readonly id: string }) {
  // The cursors of the pages before this one. The first page has none.
  const [cursors, setCursors] = useState<readonly string[]>([])
  const [{ data, error, stale }, refetch] = useQuery({
    query: WebhookLogDocument,
    variables: { id, first: PAGE_SIZE, after: cursors.at(-1) ?? null },
    requestPolicy: 'cache-and-network',
  })
  const refresh = (): void => refetch({ requestPolicy: 'network-only' })
  const page = data?.webhookDeliveriesConnection
  return (
    <Section title="Deliveries" lead="One line for each event, newest first.">
      {error !== undefined ? (
        <ErrorState error={error} retry={refresh} />
      ) : !page ? (
        <Loading rows={4} label="Loading the deliveries" />
      ) : page.edges.length === 0 ? (
        <Empty title="No deliveries yet">
          <p>Send a ping to test your receiver. Events appear here when they happen.</p>
        </Empty>
      ) : (
        <>
          <div>
            <Button small onClick={refresh}>
              Refresh
            </Button>
          </div>
          <Table
            caption="Deliveries"
            columns={columns(id)}
            rows={page.edges.map(({ node }) => node)}
            keyOf={(row) => row.id}
            stale={stale}
          />
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
      <Link href={`/webhooks/${id}/deliveries/${row.id}`}>{row.eventType}</Link>
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
          : (last.errorCode ?? 'No response'),
  },
  { title: 'Created', cell: (row: DeliveryFieldsFragment) => <RelativeTime value={row.createdAt} /> },
]
