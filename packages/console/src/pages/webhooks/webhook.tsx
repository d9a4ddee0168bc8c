import type { ReactNode } from 'react'
import { useQuery } from 'urql'
import { apiUrl } from '../../api/base.ts'
import { readError } from '../../api/errors.ts'
import { ConsoleInfoDocument } from '../../api/service.generated.ts'
import type { WebhookEventType } from '../../events/events.generated.ts'
import { EVENT_GROUPS, EVENT_TYPES, eventTitle } from '../../events/types.ts'
import { checkAgent } from '../../form/checks.ts'
import { Choice, Choices, Form } from '../../form/form.tsx'
import type { Action } from '../../form/use-action.tsx'
import { useDraft } from '../../form/use-draft.ts'
import { Button, ErrorState, Input, Light } from '../../ui/index.ts'
import type { CreateWebhookInput, WebhooksQuery } from './page.generated.ts'

interface WebhookFormProps {
  /** The URL is empty for a new webhook. */
  readonly given: {
    readonly url: string
    readonly agent: string
    readonly types: readonly WebhookEventType[]
  }
  readonly action: Action
  readonly onSubmit: (input: CreateWebhookInput) => void
  /** Other buttons. */
  readonly children?: ReactNode
}

/** What an owner chooses for a webhook. */
export function WebhookForm({ given, action, onSubmit, children }: WebhookFormProps) {
  const { busy, error } = action
  const isNew = given.url === ''
  const { draft, change, field, submit } = useDraft(given, problemsOf)
  const { url, agent, types } = draft
  const [{ data }] = useQuery({ query: ConsoleInfoDocument })
  const refused = readError(error ?? {})
  const isUrlRefused = refused.code === 'RECEIVER_REFUSED'
  const receiver = data?.info.localnetReceiver ?? null
  const choose = (type: WebhookEventType, isChosen: boolean): void =>
    change({ types: isChosen ? [...types, type] : types.filter((each) => each !== type) })
  const send = (): void =>
    onSubmit({ url: url.trim(), eventTypes: [...types], filterAgentPda: agent.trim() || null })
  return (
    <Form label={isNew ? 'Create a webhook' : 'Edit the webhook'} onSubmit={() => submit(send)}>
      <Input
        label="Receiver URL"
        type="url"
        inputMode="url"
        placeholder="https://example.org/events"
        hint={receiver === null ? 'An https URL of a public host.' : 'An http or https URL.'}
        {...field('url')}
        error={field('url').error ?? (isUrlRefused ? refused.message : null)}
      />
      {receiver !== null && (
        <Button small onClick={() => change({ url: apiUrl(receiver) })}>
          Use the receiver of this localnet
        </Button>
      )}
      <Input
        label="Only events of this agent (optional)"
        spellCheck="false"
        hint="The address of an agent. Without it you get the events of all agents."
        {...field('agent')}
      />
      {EVENT_GROUPS.map((group) => (
        <Choices key={group.title} title={group.title}>
          <div className="grid">
            {group.types.map((type) => (
              <Choice
                key={type}
                label={eventTitle(type)}
                checked={types.includes(type)}
                onChange={({ target }) => choose(type, target.checked)}
              />
            ))}
          </div>
        </Choices>
      ))}
      {field('types').error && (
        <p className="note bad" role="alert">
          {field('types').error}
        </p>
      )}
      {!isNew && url.trim() !== given.url && (
        <p className="hint" role="status">
          Deliveries that wait for the old URL are cancelled. The secret stays the same.
        </p>
      )}
      {error !== undefined && !isUrlRefused && <ErrorState error={error} />}
      <div className="row">
        {children}
        <Button type="submit" look="primary" busy={busy}>
          {isNew ? 'Create webhook' : 'Save'}
        </Button>
      </div>
    </Form>
  )
}

const NO_URL = 'Enter a URL that begins with https://.'
const problemsOf = ({ url, agent, types }: WebhookFormProps['given']) => ({
  url: /^https?:/i.test(url.trim()) && URL.canParse(url.trim()) ? null : NO_URL,
  agent: checkAgent(agent.trim()),
  types: types.length === 0 ? 'Choose at least one event.' : null,
})

export function eventsText(types: readonly WebhookEventType[]): string {
  return types.length === EVENT_TYPES.length ? 'All types' : types.map(eventTitle).join(', ')
}

type WebhookState = Pick<WebhooksQuery['webhooks']['nodes'][number], 'active' | 'disabledAt'>

export function WebhookBadge({ active, disabledAt }: WebhookState) {
  if (active) return <Light tone="good" text="Active" />
  return disabledAt ? <Light tone="bad" text="Disabled" /> : <Light tone="warn" text="Paused" />
}
