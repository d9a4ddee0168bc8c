import { useMutation } from 'urql'
import { useParams, useSearch } from 'wouter'
import {
  Address,
  Button,
  CodeTabs,
  ErrorState,
  Facts,
  Link,
  Loading,
  Page,
  RelativeTime,
  Section,
  Status,
  usePolling,
  useRead,
  useTitle,
  clientCode,
} from '../../ui/index.ts'
import { deliveryTitle, eventText } from '../../events/types.ts'
import { NeedsAccount } from '../../wallet/needs-account.tsx'
import { Attempts } from '../webhook/attempts.tsx'
import {
  OneDeliveryDocument,
  type OneDeliveryQuery,
  ResendDeliveryDocument,
} from '../webhook/page.generated.ts'
import { inLines } from './in-lines.ts'

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

const NOT_STORED = 'The event of this delivery is not stored any more.'

type ShownDelivery = NonNullable<OneDeliveryQuery['webhookDelivery']>

/** Of the last attempt, or of the next one. Only the service has the secret that signs. */
function headersOf({ id, eventId, eventType, exampleOf, attempts, attemptCount }: ShownDelivery): string {
  const [last] = attempts
  const headers = [
    'Content-Type: application/json',
    'Accept-Encoding: identity',
    'User-Agent: agent-registry-gateway',
    `X-Service-Event: ${eventText(exampleOf ?? eventType)}`,
    `X-Service-Delivery: ${id}`,
    `X-Service-Attempt: ${last?.number ?? attemptCount + 1}`,
    `webhook-id: ${eventId}`,
    last?.signedHeaders ??
      `X-Service-Timestamp: TIMESTAMP
X-Service-Signature: hex HMAC-SHA256 of TIMESTAMP.BODY
webhook-timestamp: TIMESTAMP
webhook-signature: v1,base64 HMAC-SHA256 of ID.TIMESTAMP.BODY`,
  ]
  return headers.join('\n')
}

function Delivery({ id, deliveryId }: { readonly id: string; readonly deliveryId: string }) {
  const { data, error, again } = useRead({
    query: OneDeliveryDocument,
    variables: { id, delivery: deliveryId },
  })
  const [resent, resend] = useMutation(ResendDeliveryDocument)
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
          facts={[
            ['Event', deliveryTitle(delivery)],
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
        <Button
          look={delivery.status === 'SUCCESS' ? 'plain' : 'primary'}
          busy={resent.fetching}
          onClick={() => void resend({ id, deliveryId }).then(again)}
        >
          Send again
        </Button>
        {resent.error !== undefined && <ErrorState error={resent.error} />}
      </Section>
      <Section title="Attempts" lead="The last 20 requests to your receiver, newest first.">
        <Attempts delivery={delivery} />
      </Section>
      <Section
        title="Request"
        lead="The headers of the last attempt, and the body. Each attempt has its own time and signature. After a fork of the ledger, earlier attempts can have had another body."
      >
        <CodeTabs
          label="Request"
          codes={{
            Headers: headersOf(delivery),
            'Body, in lines': delivery.body ? inLines(delivery.body) : NOT_STORED,
            'Body, as it is signed': delivery.body ?? NOT_STORED,
          }}
        />
        <p className="hint">
          <Link href="/events">How a receiver verifies the signature</Link>
        </p>
      </Section>
    </div>
  )
}
