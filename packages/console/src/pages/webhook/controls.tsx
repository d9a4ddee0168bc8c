import { useState } from 'react'
import { useMutation } from 'urql'
import { useLocation } from 'wouter'
import type { WebhookEventType } from '../../events/events.generated.ts'
import { EVENT_TYPES, eventTitle } from '../../events/types.ts'
import { Button, Confirm, Section, Select } from '../../ui/index.ts'
import { SecretDialog } from '../webhooks/secret.tsx'
import { WebhookForm } from '../webhooks/webhook.tsx'
import {
  DeleteWebhookDocument,
  PingWebhookDocument,
  RecoverWebhookDocument,
  RotateWebhookSecretDocument,
  UpdateWebhookDocument,
  type UpdateWebhookInput,
  type WebhookDetailsFragment,
} from './page.generated.ts'
import { sentAgain } from './log.tsx'
import { useAction } from '../../form/use-action.tsx'
import { useDraft } from '../../form/use-draft.ts'

const DAY_MS = 86_400_000
type Draft = { readonly keepHours: string; readonly testEvent: WebhookEventType | '' }
type Asked = keyof typeof QUESTIONS | null

/** Everything that an owner does with a webhook. Changes that lose something ask first. */
export function Controls({ webhook: { id, active } }: { readonly webhook: WebhookDetailsFragment }) {
  const [, navigate] = useLocation()
  const { busy, outcome, run } = useAction()
  const [asked, setAsked] = useState<Asked>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const { draft, change, field } = useDraft<Draft>({ keepHours: '24', testEvent: '' })
  const { keepHours, testEvent } = draft
  const ping = () =>
    run(PingWebhookDocument, { id, exampleOf: testEvent || null }, ({ pingWebhook }) => {
      navigate(`/webhooks/${id}/deliveries/${pingWebhook.id}`)
      return 'The test event is on its way.'
    })
  const setActive = (next: boolean) =>
    run(UpdateWebhookDocument, { id, input: { active: next } }, () =>
      next
        ? 'The webhook is active. Recover the deliveries that it missed.'
        : 'The webhook is paused. Nothing is sent to it.',
    )
  const recover = () => {
    const since = new Date(Date.now() - 7 * DAY_MS).toISOString()
    return run(
      RecoverWebhookDocument,
      { id, since },
      ({ recoverWebhook: { recovered, more } }) =>
        `${sentAgain(recovered)}${more ? ' There are more: recover again.' : ''}`,
    )
  }
  const rotate = () =>
    run(
      RotateWebhookSecretDocument,
      { id, keepPreviousHours: Number(keepHours) },
      ({ rotateWebhookSecret }) => {
        setSecret(rotateWebhookSecret.secret)
        return 'The secret was replaced.'
      },
    )
  const remove = () =>
    run(DeleteWebhookDocument, { id }, () => {
      navigate('/webhooks')
      return 'The webhook was deleted.'
    })
  const askToRotate = (): void => {
    change({ keepHours: '24' })
    setAsked('rotate')
  }
  const actions = { rotate, remove, pause: () => setActive(false) }
  return (
    <Section
      title="Actions"
      lead="A test event is a ping, or an example of an event. Recover sends the failed and cancelled deliveries of 7 days again."
    >
      <div className="row">
        <Select label="Test event" options={TEST_EVENTS} {...field('testEvent')} />
        <Button look="primary" busy={busy} disabled={!active} onClick={() => void ping()}>
          Send test event
        </Button>
        <Button busy={busy} disabled={!active} onClick={() => void recover()}>
          Recover failed deliveries
        </Button>
        {active ? (
          <Button busy={busy} onClick={() => setAsked('pause')}>
            Pause
          </Button>
        ) : (
          <Button look="primary" busy={busy} onClick={() => void setActive(true)}>
            Activate
          </Button>
        )}
        <Button busy={busy} onClick={askToRotate}>
          Rotate secret
        </Button>
        <Button look="danger" busy={busy} onClick={() => setAsked('remove')}>
          Delete
        </Button>
      </div>
      {outcome}
      <Confirm
        question={asked && { ...QUESTIONS[asked], onConfirm: () => void actions[asked]() }}
        onClose={() => setAsked(null)}
      >
        {asked === 'rotate' && <Select label="Keep the old secret" options={KEEP} {...field('keepHours')} />}
      </Confirm>
      <SecretDialog
        title={keepHours === '0' ? 'Store the new secret' : 'Store the new secret beside the old one'}
        keepsOld={keepHours !== '0'}
        webhookId={id}
        secret={secret}
        onStored={() => setSecret(null)}
      />
    </Section>
  )
}

const TEST_EVENTS = [
  { value: '', label: 'Ping' },
  ...EVENT_TYPES.map((type) => ({ value: type, label: `Example: ${eventTitle(type)}` })),
]

const KEEP = [
  { value: '24', label: 'For a day' },
  { value: '168', label: 'For 7 days' },
  { value: '0', label: 'No, it ends at once' },
]

const QUESTIONS = {
  pause: {
    title: 'Pause this webhook?',
    text: 'All waiting deliveries are cancelled. After you activate it again, you can recover them for 7 days.',
    label: 'Pause webhook',
  },
  rotate: {
    title: 'Rotate the secret?',
    text: 'If the old secret ends at once, your receiver refuses requests until it has the new one. They are repeated. If you keep it, requests are signed with both: let your receiver accept either of them.',
    label: 'Rotate secret',
  },
  remove: {
    title: 'Delete this webhook?',
    text: 'Its deliveries are cancelled and its log is removed. This cannot be undone.',
    label: 'Delete webhook',
  },
} as const

interface EditFormProps {
  readonly webhook: WebhookDetailsFragment
  readonly onDone: () => void
}

/** Changes the URL, the agent and the events. The secret and the log stay. */
export function EditForm({ webhook, onDone }: EditFormProps) {
  const { id, url, eventTypes: types, filterAgentPda } = webhook
  const [{ error, fetching }, update] = useMutation(UpdateWebhookDocument)
  const submit = async (input: UpdateWebhookInput): Promise<void> => {
    const result = await update({ id, input })
    if (result.error === undefined) onDone()
  }
  return (
    <WebhookForm
      label="Edit the webhook"
      action="Save"
      given={{ url, agent: filterAgentPda ?? '', types }}
      isEdited
      busy={fetching}
      error={error}
      onSubmit={(input) => void submit(input)}
    >
      <Button onClick={onDone}>Cancel</Button>
    </WebhookForm>
  )
}
