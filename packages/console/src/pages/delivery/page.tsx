import { useMutation, useQuery } from 'urql'
import { useParams } from 'wouter'
import {
  Address,
  Button,
  ErrorState,
  Facts,
  Link,
  Loading,
  Page,
  RelativeTime,
  Section,
  ShowRequest,
  Status,
  usePolling,
  clientCode,
} from '../../ui/index.ts'
import { eventTitle } from '../../events/types.ts'
import { NeedsAccount } from '../../wallet/needs-account.tsx'
import { Attempts } from '../webhook/attempts.tsx'
import { OneDeliveryDocument, ResendDeliveryDocument } from '../webhook/page.generated.ts'
import css from '../webhooks/page.module.css'

const REFRESH_MS = 2_000
const OPEN: ReadonlySet<string> = new Set(['PENDING', 'IN_FLIGHT', 'RETRYING'])

export default function DeliveryPage() {
  const { id, delivery } = useParams<{ id: string; delivery: string }>()
  const example = clientCode`registry.sessions.use(token)
await registry.webhooks.resend(${id}, ${delivery})`
  return (
    <Page
      title="Delivery"
      lead={<Link href={`/webhooks/${id}`}>Back to the webhook</Link>}
      actions={<ShowRequest document={OneDeliveryDocument} variables={{ id, delivery }} client={example} />}
    >
      <NeedsAccount need="session" why="Sign in to see this delivery">
        {() => <Delivery key={delivery} id={id} deliveryId={delivery} />}
      </NeedsAccount>
    </Page>
  )
}

function Delivery({ id, deliveryId }: { readonly id: string; readonly deliveryId: string }) {
  const [{ data, error }, refetch] = useQuery({
    query: OneDeliveryDocument,
    variables: { id, delivery: deliveryId },
    requestPolicy: 'cache-and-network',
  })
  const [resent, resend] = useMutation(ResendDeliveryDocument)
  const delivery = data?.webhookDelivery
  const isOpen = delivery != null && OPEN.has(delivery.status)
  const refresh = (): void => refetch({ requestPolicy: 'network-only' })
  usePolling(refresh, isOpen ? REFRESH_MS : null)
  if (error !== undefined) return <ErrorState error={error} retry={refresh} />
  if (delivery == null) return <Loading rows={5} label="Loading the delivery" />
  return (
    <div className={css.list}>
      <Section title="Details">
        <Facts
          facts={[
            ['Event', eventTitle(delivery.eventType)],
            ['Event id', <Address key="Event id" value={delivery.eventId} label="event id" />],
            ['Delivery id', <Address key="Delivery id" value={delivery.id} label="delivery id" />],
            [
              'Status',
              <span key="Status" role="status">
                <Status value={delivery.status} />
              </span>,
            ],
            ['Created', <RelativeTime key="Created" value={delivery.createdAt} />],
            [
              'Next attempt',
              delivery.nextAttemptAt ? <RelativeTime value={delivery.nextAttemptAt} /> : 'None',
            ],
          ]}
        />
        <div className={css.buttons}>
          <Button
            look="primary"
            busy={resent.fetching}
            onClick={() => void resend({ id, deliveryId }).then(refresh)}
          >
            Send again
          </Button>
        </div>
        {resent.error !== undefined && <ErrorState error={resent.error} />}
      </Section>
      <Section title="Attempts" lead="The last 20 requests to your receiver, newest first.">
        <Attempts delivery={delivery} />
      </Section>
    </div>
  )
}
