import { useParams, useSearch } from 'wouter'
import { Button, clientCode, CodeBlock, CodeTabs, Facts, Page, Section, useTitle } from '../../ui/index.ts'
import { ErrorState, Loading, usePolling, useRead } from '../../ui/reads.ts'
import { inLines } from '../../ui/code-block.tsx'
import { Address, Badge, Link, RelativeTime, Status, words } from '../../ui/values.ts'
import { deliveryTitle, eventText } from '../../events/types.ts'
import { useAction } from '../../form/use-action.tsx'
import { NeedsAccount } from '../../wallet/needs-account.tsx'
import {
  type DeliveryFieldsFragment,
  OneDeliveryDocument,
  type OneDeliveryQuery,
  ResendDeliveryDocument,
  type WebhookAttemptError,
  type WebhookDeliveryTrigger,
} from '../webhook/page.generated.ts'

const REFRESH_MS = 2_000
/** A delivery with another status is sent by itself. */
export const FINISHED: ReadonlySet<string> = new Set(['SUCCESS', 'FAILED', 'CANCELLED'])

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
  const { data, error, again, poll } = useRead({
    query: OneDeliveryDocument,
    variables: { id, delivery: deliveryId },
  })
  const { busy, problem, run } = useAction()
  const delivery = data?.webhookDelivery
  const isOpen = delivery != null && !FINISHED.has(delivery.status)
  useTitle(delivery ? `Delivery of ${eventText(delivery.exampleOf ?? delivery.eventType)}` : null)
  usePolling(poll, isOpen ? REFRESH_MS : null)
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

interface DeliveryProps {
  readonly delivery: NonNullable<OneDeliveryQuery['webhookDelivery']>
}

/** What happened in each request to the receiver, newest first. */
function Attempts({ delivery: { attempts } }: DeliveryProps) {
  return (
    <Section title="Attempts" lead="The last 20 requests to your receiver, newest first.">
      {attempts.length === 0 && <p className="hint">No attempt was made yet.</p>}
      <ol className="stack divided" aria-label="Attempts">
        {attempts.map((attempt) => (
          <li key={`${attempt.number} ${attempt.startedAt}`} className="stack tight">
            <div className="row">
              <h3>Attempt {attempt.number}</h3>
              <Status value={attempt.outcome === 'FAILURE' ? 'FAILED' : attempt.outcome} />
              <Badge>{TRIGGERS[attempt.trigger]}</Badge>
            </div>
            <Facts
              facts={{
                Response: responseOf(attempt),
                Body: attempt.responseStatus && !attempt.responseExcerpt && 'None, or not text',
                Duration: `${attempt.durationMs} ms`,
                Started: <RelativeTime value={attempt.startedAt} />,
                'Next attempt': attempt.nextAttemptAt ? (
                  <RelativeTime value={attempt.nextAttemptAt} />
                ) : (
                  'None'
                ),
              }}
            />
            {attempt.responseExcerpt && (
              <CodeBlock
                label={`Start of the response to attempt ${attempt.number}`}
                code={attempt.responseExcerpt}
              />
            )}
          </li>
        ))}
      </ol>
    </Section>
  )
}

type Attempt = DeliveryFieldsFragment['attempts'][number]

const REASONS: Readonly<Partial<Record<WebhookAttemptError, string>>> = {
  TIMEOUT: 'No answer in time',
  DNS_ERROR: 'The host name was not found',
  CONNECT_ERROR: 'No connection to the host',
  TLS_ERROR: 'The TLS certificate or connection was refused',
  RESET: 'The host closed the connection early',
  SSRF_BLOCKED: 'The address is not allowed',
}

/** What the receiver answered, or why there is no answer. */
export function responseOf({ responseStatus, errorCode }: Attempt): string {
  if (typeof responseStatus === 'number') return `HTTP ${responseStatus}`
  return errorCode ? (REASONS[errorCode] ?? words(errorCode)) : 'No response'
}

const TRIGGERS: Readonly<Record<WebhookDeliveryTrigger, string>> = {
  EVENT: 'First attempt',
  PING: 'Test event',
  RECOVER: 'Recovered by you',
  RESEND: 'Sent again by you',
  RETRY: 'Automatic retry',
}

/** What each attempt sends. */
function Request({ delivery }: DeliveryProps) {
  return (
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
  )
}

const NOT_STORED = 'The event of this delivery is not stored any more.'

/** Of the last attempt, or of the next one. Only the service has the secret that signs. */
function headersOf({
  id,
  eventId,
  eventType,
  exampleOf,
  attempts,
  attemptCount,
}: DeliveryProps['delivery']): string {
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
