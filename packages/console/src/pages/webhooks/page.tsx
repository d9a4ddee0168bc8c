import { useQuery } from 'urql'
import {
  Address,
  ButtonLink,
  Empty,
  ErrorState,
  Link,
  Loading,
  Page,
  RelativeTime,
  ShowRequest,
  Table,
} from '../../ui/index.ts'
import { eventTitle } from '../../events/types.ts'
import { NeedsAccount } from '../../wallet/needs-account.tsx'
import { CreateWebhook } from './create.tsx'
import { WebhooksDocument, type WebhooksQuery } from './page.generated.ts'
import css from './page.module.css'
import { WebhookBadge } from './state.tsx'

type Row = WebhooksQuery['webhooks'][number]

const EXAMPLE = `registry.sessions.use(token)
console.log(await registry.webhooks.list())`

export default function WebhooksPage() {
  return (
    <Page
      title="Webhooks"
      lead="The gateway sends events of the registry to your URL, and repeats failed deliveries for about three days."
      actions={
        <>
          <ShowRequest document={WebhooksDocument} client={EXAMPLE} />
          <ButtonLink to="/events">Event types</ButtonLink>
        </>
      }
    >
      <NeedsAccount need="session" why="Sign in to manage your webhooks">
        {() => <Webhooks />}
      </NeedsAccount>
    </Page>
  )
}

function Webhooks() {
  const [{ data, error }, refetch] = useQuery({
    query: WebhooksDocument,
    requestPolicy: 'cache-and-network',
  })
  if (error !== undefined)
    return <ErrorState error={error} retry={() => refetch({ requestPolicy: 'network-only' })} />
  if (data === undefined) return <Loading rows={4} label="Loading your webhooks" />
  const disabled = data.webhooks.filter(({ disabledAt }) => disabledAt)
  return (
    <div className={css.list}>
      {disabled.length > 0 && (
        <div className={css.notice} role="status">
          <h2>
            {disabled.length === 1
              ? 'The service disabled a webhook'
              : `The service disabled ${disabled.length} webhooks`}
          </h2>
          <p>No events are sent to it. Open it to see why and to activate it again.</p>
        </div>
      )}
      {data.webhooks.length === 0 ? (
        <Empty title="You have no webhooks">
          <p>Create the first one below.</p>
        </Empty>
      ) : (
        <Table caption="Your webhooks" columns={COLUMNS} rows={data.webhooks} keyOf={({ id }) => id} />
      )}
      <CreateWebhook />
    </div>
  )
}

const COLUMNS = [
  {
    title: 'Receiver',
    cell: ({ id, url }: Row) => (
      <Link href={`/webhooks/${id}`} className={css.url}>
        {url}
      </Link>
    ),
  },
  { title: 'Status', cell: (row: Row) => <WebhookBadge {...row} /> },
  {
    title: 'Events',
    cell: ({ eventTypes }: Row) =>
      eventTypes.length > 2 ? `${eventTypes.length} types` : eventTypes.map(eventTitle).join(', '),
  },
  {
    title: 'Agent',
    cell: ({ filterAgentPda }: Row) =>
      filterAgentPda ? <Address value={filterAgentPda} label="agent address" /> : 'All agents',
  },
  { title: 'Created', cell: ({ createdAt }: Row) => <RelativeTime value={createdAt} /> },
]
