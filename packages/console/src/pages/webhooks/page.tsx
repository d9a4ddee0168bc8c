import { useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { ButtonLink, type Columns, Page, Section, Table } from '../../ui/index.ts'
import { Empty, Loaded, useRead } from '../../ui/reads.ts'
import { Address, Link, Status } from '../../ui/values.ts'
import { EVENT_TYPES } from '../../events/types.ts'
import { useAction } from '../../form/use-action.tsx'
import { nextStep } from '../../routes.ts'
import { NeedsAccount } from '../../wallet/needs-account.tsx'
import {
  CreateWebhookDocument,
  type CreateWebhookMutation,
  WebhooksDocument,
  type WebhooksQuery,
} from './page.generated.ts'
import css from './page.module.css'
import { SecretDialog } from './secret.tsx'
import { eventsText, WebhookBadge, WebhookForm } from './webhook.tsx'

type Row = WebhooksQuery['webhooks']['nodes'][number]

const EXAMPLE = `registry.sessions.use(token)
console.log(await registry.webhooks.list())`

export default function WebhooksPage() {
  return (
    <Page
      title="Webhooks"
      lead="The gateway sends events of the registry to your URL, and repeats failed deliveries for about three days."
      request={{ needsSession: true, document: WebhooksDocument, client: EXAMPLE }}
      actions={<ButtonLink to="/events">Event types</ButtonLink>}
    >
      <NeedsAccount need="session" why="Sign in to manage your webhooks">
        {() => <Webhooks />}
      </NeedsAccount>
    </Page>
  )
}

const REFRESH_MS = 10_000

function Webhooks() {
  const read = useRead({ query: WebhooksDocument }, { everyMs: REFRESH_MS, keep: true })
  return (
    <Loaded read={read} data={read.data?.webhooks.nodes} rows={4} label="Loading your webhooks">
      {(webhooks) => (
        <div className="stack">
          <Disabled webhooks={webhooks.filter(({ disabledAt }) => disabledAt)} />
          {webhooks.length === 0 ? (
            <Empty title="You have no webhooks">
              <p>
                Create the first one below. Without a receiver of your own, look at the{' '}
                <Link href="/events">events with example payloads</Link>.
              </p>
            </Empty>
          ) : (
            <Table caption="Your webhooks" columns={COLUMNS} rows={webhooks} keyOf={({ id }) => id} />
          )}
          <CreateWebhook />
        </div>
      )}
    </Loaded>
  )
}

function Disabled({ webhooks }: { readonly webhooks: readonly Row[] }) {
  const [first] = webhooks
  if (first === undefined) return null
  const isOne = webhooks.length === 1
  return (
    <div className="notice" data-tone="bad" role="status">
      <h2>The service disabled {isOne ? 'a webhook' : `${webhooks.length} webhooks`}</h2>
      <p>
        No events are sent to {isOne ? 'it' : 'them'}. Open{' '}
        <Link href={`/webhooks/${first.id}`}>{first.url}</Link> to see why and to activate it again.
      </p>
    </div>
  )
}

const COLUMNS: Columns<Row> = {
  Receiver: ({ id, url }) => (
    <Link href={`/webhooks/${id}`} className={css.url}>
      {url}
    </Link>
  ),
  Status: (row) => <WebhookBadge {...row} />,
  Events: ({ eventTypes }) =>
    eventTypes.length > 2 && eventTypes.length < EVENT_TYPES.length
      ? `${eventTypes.length} types`
      : eventsText(eventTypes),
  Agent: ({ filterAgentPda }) =>
    filterAgentPda ? <Address value={filterAgentPda} label="agent address" /> : 'All agents',
  // Says which webhook fails. The way to its receiver's answer is one click.
  'Last delivery': ({ id, lastDelivery }) =>
    lastDelivery === null ? (
      'None yet'
    ) : (
      <Link href={`/webhooks/${id}/deliveries/${lastDelivery.id}`}>
        <Status value={lastDelivery.status} />
      </Link>
    ),
}

function CreateWebhook() {
  const [search] = useSearchParams()
  const agent = search.get('agent')
  const given = {
    url: '',
    agent: agent ?? '',
    types: agent === null ? (['AGENT_REGISTERED'] as const) : EVENT_TYPES,
  }
  const action = useAction()
  const [created, setCreated] = useState<CreateWebhookMutation['createWebhook'] | null>(null)
  const [, navigate] = useLocation()
  return (
    <Section title="Create a webhook" lead="The gateway sends each chosen event to your URL within seconds.">
      <WebhookForm
        given={given}
        action={action}
        onSubmit={(input) =>
          action.run(CreateWebhookDocument, { input }, ({ createWebhook }) => setCreated(createWebhook))
        }
      />
      {created && (
        <SecretDialog
          title="Store the secret of the webhook"
          webhookId={created.id}
          secret={created.secret}
          onStored={() => navigate(nextStep(search)?.to ?? `/webhooks/${created.id}`)}
        />
      )}
    </Section>
  )
}
