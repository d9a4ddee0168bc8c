import { eventText } from '../../events/types.ts'
import { CodeBlock, CodeTabs, Facts, Section } from '../../ui/index.ts'
import { Badge, Link, RelativeTime, Status, words } from '../../ui/values.ts'
import type {
  DeliveryFieldsFragment,
  OneDeliveryQuery,
  WebhookAttemptError,
  WebhookDeliveryTrigger,
} from '../webhook/page.generated.ts'

interface DeliveryProps {
  readonly delivery: NonNullable<OneDeliveryQuery['webhookDelivery']>
}

/** What happened in each request to the receiver, newest first. */
export function Attempts({ delivery: { attempts } }: DeliveryProps) {
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
export function Request({ delivery }: DeliveryProps) {
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

/** Compact JSON in lines. Texts and numbers stay as they are: JavaScript would round large ones. */
export function inLines(json: string): string {
  let depth = 0
  const line = (): string => `\n${'  '.repeat(depth)}`
  return json.replace(/"(?:[^"\\]|\\.)*"|\{\}|\[\]|[{}[\],:]/g, (token) => {
    if (token === '{' || token === '[') {
      depth += 1
      return token + line()
    }
    if (token === '}' || token === ']') {
      depth -= 1
      return line() + token
    }
    if (token === ',') return token + line()
    return token === ':' ? ': ' : token
  })
}
