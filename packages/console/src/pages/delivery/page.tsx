import { useParams, useSearch } from 'wouter'
import { Button, clientCode, Facts, Page, Section, useTitle } from '../../ui/index.ts'
import { ErrorState, Loading, usePolling, useRead } from '../../ui/reads.ts'
import { Address, Link, RelativeTime, Status } from '../../ui/values.ts'
import { deliveryTitle, eventText } from '../../events/types.ts'
import { useAction } from '../../form/use-action.tsx'
import { NeedsAccount } from '../../wallet/needs-account.tsx'
import { OneDeliveryDocument, ResendDeliveryDocument } from '../webhook/page.generated.ts'
import { Attempts, Request } from './requests.tsx'

const REFRESH_MS = 2_000
const OPEN: ReadonlySet<string> = new Set(['PENDING', 'IN_FLIGHT', 'RETRYING'])

export default function DeliveryPage() {
  const { id, delivery } = useParams<{ id: string; delivery: string }>()
  const example = clientCode`registry.sessions.use(token)
await registry.webhooks.resend(${id}, ${delivery})`
  return (
    <Page
      title="Delivery"
      lead={<Link href={`/webhooks/${id}?${useSearch()}`}>Back to the webhook</Link>}
      request={{
        needsSession: true,
        document: OneDeliveryDocument,
        variables: { id, delivery },
        client: example,
      }}
    >
      <NeedsAccount need="session" why="Sign in to see this delivery">
        {() => <Delivery key={delivery} id={id} deliveryId={delivery} />}
      </NeedsAccount>
    </Page>
  )
}

function Delivery({ id, deliveryId }: { readonly id: string; readonly deliveryId: string }) {
  const { data, error, again } = useRead({
    query: OneDeliveryDocument,
    variables: { id, delivery: deliveryId },
  })
  const { busy, problem, run } = useAction()
  const delivery = data?.webhookDelivery
  const isOpen = delivery != null && OPEN.has(delivery.status)
  useTitle(delivery ? `Delivery of ${eventText(delivery.exampleOf ?? delivery.eventType)}` : null)
  usePolling(again, isOpen ? REFRESH_MS : null)
  if (error !== undefined) return <ErrorState error={error} retry={again} />
  if (delivery == null) return <Loading rows={5} label="Loading the delivery" />
  return (
    <div className="stack">
      <Section title="Details">
        <Facts
          facts={{
            Event: deliveryTitle(delivery),
            'Event id': <Address value={delivery.eventId} label="event id" />,
            'Delivery id': <Address value={delivery.id} label="delivery id" />,
            Status: (
              <span role="status">
                <Status value={delivery.status} />
              </span>
            ),
            Created: <RelativeTime value={delivery.createdAt} />,
            'Next attempt': delivery.nextAttemptAt ? <RelativeTime value={delivery.nextAttemptAt} /> : 'None',
          }}
        />
        <Button
          look={delivery.status === 'SUCCESS' ? 'plain' : 'primary'}
          busy={busy}
          onClick={() => run(ResendDeliveryDocument, { id, deliveryId }, again)}
        >
          Send again
        </Button>
        {problem}
      </Section>
      <Attempts delivery={delivery} />
      <Request delivery={delivery} />
    </div>
  )
}
