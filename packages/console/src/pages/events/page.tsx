import { enumName } from '../../api/enums.ts'
import type { WebhookEventType } from '../../events/events.generated.ts'
import { useDraft } from '../../form/use-draft.ts'
import { EVENT_GROUPS, eventTitle } from '../../events/types.ts'
import { ButtonLink, CodeBlock, CodeTabs, Page, Section, Select } from '../../ui/index.ts'
import { secretName, verificationCode } from '../webhooks/secret.tsx'
import { EVENTS } from './catalogue.generated.ts'
import { EventTypesDocument } from './page.generated.ts'

const GROUPS = [
  { value: '', label: 'All event types' },
  ...EVENT_GROUPS.map(({ title }) => ({ value: title, label: title })),
]

const NAMED = EVENTS.map((event) => ({ ...event, name: enumName(event.type) as WebhookEventType }))

export default function EventsPage() {
  const { draft, field } = useDraft({ group: '' })
  const chosen = EVENT_GROUPS.find(({ title }) => title === draft.group)
  const shown = NAMED.filter(({ name }) => chosen === undefined || chosen.types.includes(name))
  return (
    <Page
      title="Event types"
      lead={`The registry has ${EVENTS.length} types of events. Webhooks and live streams send them. Amounts are in USDC base units: 1 USDC is 1000000.`}
      request={{ document: EventTypesDocument, client: 'console.log(await registry.webhooks.eventTypes())' }}
      actions={<ButtonLink to="/webhooks">Webhooks</ButtonLink>}
    >
      <div className="stack">
        <div className="grid">
          <Select label="Show" options={GROUPS} {...field('group')} />
        </div>
        {shown.map(({ type, name, when, body }) => (
          <Section key={type} title={eventTitle(name)} lead={when}>
            <p>
              <code>{type}</code>, in GraphQL <code>{name}</code>
            </p>
            <CodeBlock label={`Example of ${type}`} code={body} />
          </Section>
        ))}
        <Section
          title="Verify requests"
          lead={`Each webhook has its own secret. The code reads it from the environment variable ${secretName()}.`}
        >
          <CodeTabs label="Verification code" codes={verificationCode(secretName())} />
        </Section>
      </div>
    </Page>
  )
}
