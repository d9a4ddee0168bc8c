import { useState } from 'react'
import { useQuery } from 'urql'
import { useParams } from 'wouter'
import { Button, clientCode, CodeTabs, DialogButton, Page, PERIODS } from '../../ui/index.ts'
import { useAction } from '../../form/use-action.tsx'
import { ErrorState, Loaded, Loading, useRead } from '../../ui/reads.ts'
import { ChoiceSection, Facts, Section } from '../../ui/section.tsx'
import { Address, Link, RelativeTime, withCommas } from '../../ui/values.ts'
import { NeedsAccount } from '../../wallet/needs-account.tsx'
import { secretName, verificationCode } from '../webhooks/secret.tsx'
import { eventsText, WebhookBadge, WebhookForm } from '../webhooks/webhook.tsx'
import { Controls } from './controls.tsx'
import { DeliveryLog } from './log.tsx'
import {
  OneWebhookDocument,
  UpdateWebhookDocument,
  type WebhookDetailsFragment,
  WebhookFiguresDocument,
  type WebhookFiguresQueryVariables,
  WebhookLogDocument,
} from './page.generated.ts'

export default function WebhookPage() {
  const { id } = useParams<{ id: string }>()
  const example = clientCode`registry.sessions.use(token)
for await (const delivery of registry.webhooks.deliveries(${id})) console.log(delivery)`
  // What the content below reads.
  const [{ data }] = useQuery({ query: OneWebhookDocument, variables: { id }, requestPolicy: 'cache-only' })
  const url = data?.webhook && new URL(data.webhook.url)
  return (
    <Page
      title={url ? url.host + url.pathname : 'Webhook'}
      lead={
        <span className="row">
          {data?.webhook && <WebhookBadge {...data.webhook} />}
          <Link href="/webhooks">All webhooks</Link>
        </span>
      }
      request={{
        needsSession: true,
        document: WebhookLogDocument,
        variables: { id, first: 25 },
        client: example,
      }}
    >
      <NeedsAccount need="session" why="Sign in to see this webhook">
        {() => <Webhook key={id} id={id} />}
      </NeedsAccount>
    </Page>
  )
}

function Webhook({ id }: { readonly id: string }) {
  const { data, error, again: refresh } = useRead({ query: OneWebhookDocument, variables: { id } })
  const webhook = data?.webhook
  const [now] = useState(Date.now)
  if (error !== undefined)
    return (
      <ErrorState error={error} retry={refresh}>
        <p>Only the wallet that created a webhook can see it.</p>
      </ErrorState>
    )
  if (!webhook) return <Loading rows={5} label="Loading the webhook" />
  const { previousSecretUntil: until } = webhook
  const oldSecretEnds = until !== null && Date.parse(until) > now && until
  return (
    <div className="stack">
      <Warning webhook={webhook} />
      <div className="pair">
        <Section
          title="Details"
          aside={
            <DialogButton small label="Edit" title="Edit the webhook">
              {(close) => <EditForm webhook={webhook} onDone={close} />}
            </DialogButton>
          }
        >
          <Facts
            facts={{
              Receiver: webhook.url,
              Id: <Address value={webhook.id} label="webhook id" />,
              Events: eventsText(webhook.eventTypes),
              Agent: webhook.filterAgentPda ? (
                <Address value={webhook.filterAgentPda} label="agent address" />
              ) : (
                'All agents'
              ),
              Created: <RelativeTime value={webhook.createdAt} />,
              'Old secret ends': oldSecretEnds && <RelativeTime value={oldSecretEnds} />,
            }}
          />
        </Section>
        <Figures id={id} />
      </div>
      <Controls webhook={webhook} />
      <DeliveryLog id={id} />
      <Section
        title="Verify requests"
        lead="The code reads the secret from the environment. The secret is not shown again: replace it if it is lost."
      >
        <CodeTabs label="Verification code" codes={verificationCode(secretName(id))} />
      </Section>
    </div>
  )
}

interface EditFormProps {
  readonly webhook: WebhookDetailsFragment
  readonly onDone: () => void
}

/** Changes the URL, the agent and the events. The secret and the log stay. */
function EditForm({ webhook, onDone }: EditFormProps) {
  const { id, url, eventTypes: types, filterAgentPda } = webhook
  const action = useAction()
  return (
    <WebhookForm
      given={{ url, agent: filterAgentPda ?? '', types }}
      action={action}
      onSubmit={(input) => action.run(UpdateWebhookDocument, { id, input }, onDone)}
    >
      <Button onClick={onDone}>Cancel</Button>
    </WebhookForm>
  )
}

const REASONS = {
  FAILING: 'All deliveries failed for 5 days.',
  GONE: 'Your receiver responded with the status 410, which means that it is gone.',
}

/** Says why nothing arrives, and the way back. */
function Warning({ webhook }: { readonly webhook: WebhookDetailsFragment }) {
  const { id, active, disabledAt, disabledReason } = webhook
  const [{ data }] = useQuery({ query: WebhookLogDocument, variables: { id, first: 25 } })
  const latest = data?.webhookDeliveries?.nodes.find(
    ({ attemptCount, eventType }) => attemptCount > 0 && eventType !== 'PING',
  )
  const isFailing = latest !== undefined && ['RETRYING', 'FAILED'].includes(latest.status)
  if (disabledAt)
    return (
      <div className="notice" data-tone="bad" role="status">
        <h2>The service disabled this webhook</h2>
        <p>
          {disabledReason ? REASONS[disabledReason] : ''} This was <RelativeTime value={disabledAt} />.
        </p>
        <p>Repair your receiver, activate the webhook, then recover the failed deliveries.</p>
      </div>
    )
  if (!active)
    return (
      <div className="notice" data-tone="warn" role="status">
        <h2>This webhook is paused</h2>
        <p>No events are sent to it. Activate it, then recover the deliveries that it missed.</p>
      </div>
    )
  if (!isFailing) return null
  return (
    <div className="notice" data-tone="warn" role="status">
      <h2>The last delivery failed</h2>
      <p>
        {latest.status === 'RETRYING'
          ? 'The gateway repeats it. If all deliveries fail for 5 days, it disables the webhook.'
          : 'It is not repeated by itself. Repair your receiver, then recover the failed deliveries.'}{' '}
        <Link href={`/webhooks/${id}/deliveries/${latest.id}`}>See what your receiver answered</Link>.
      </p>
    </div>
  )
}

const REFRESH_MS = 15_000
/** Rounded down, so that 100 % has no failure. */
const PERCENT = new Intl.NumberFormat('en', {
  style: 'percent',
  maximumFractionDigits: 1,
  roundingMode: 'floor',
})

const Figures = ({ id }: { readonly id: string }) => (
  <ChoiceSection
    title="Response times and success"
    lead="Attempts of the newest 2,000 deliveries."
    label="Period of the figures"
    options={PERIODS}
    initial="24"
  >
    {(hours) => <Attempts variables={{ id, hours: Number(hours) }} />}
  </ChoiceSection>
)

function Attempts({ variables }: { readonly variables: WebhookFiguresQueryVariables }) {
  const query = { query: WebhookFiguresDocument, variables }
  const read = useRead(query, { everyMs: REFRESH_MS })
  return (
    <Loaded read={read} data={read.data?.webhook?.figures} rows={1} label="Loading the figures">
      {({ attempts, succeeded, p50Ms, p95Ms }) => (
        <Facts
          facts={{
            Attempts: withCommas(attempts),
            Succeeded: attempts === 0 ? '–' : PERCENT.format(succeeded / attempts),
            Median: timeText(p50Ms),
            '95th percentile': timeText(p95Ms),
          }}
        />
      )}
    </Loaded>
  )
}

const timeText = (ms: number | null): string => (ms === null ? '–' : `${withCommas(ms)} ms`)
