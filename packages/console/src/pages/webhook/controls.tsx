import { useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { WebhookEventType } from '../../events/events.generated.ts'
import { EVENT_TYPES, eventTitle } from '../../events/types.ts'
import { useAction } from '../../form/use-action.tsx'
import { useDraft } from '../../form/use-draft.ts'
import { Button, Section, Select } from '../../ui/index.ts'
import { SecretDialog } from '../webhooks/secret.tsx'
import { sentAgain } from './log.tsx'
import {
  DeleteWebhookDocument,
  PingWebhookDocument,
  RecoverWebhookDocument,
  RotateWebhookSecretDocument,
  UpdateWebhookDocument,
  type WebhookDetailsFragment,
} from './page.generated.ts'

const DAY_MS = 86_400_000

/** Everything that an owner does with a webhook. Changes that lose something ask first. */
export function Controls({ webhook: { id, active } }: { readonly webhook: WebhookDetailsFragment }) {
  const [, navigate] = useLocation()
  const { ask, busy, outcome, run } = useAction()
  const { draft, field } = useDraft<{ testEvent: WebhookEventType | '' }>({ testEvent: '' })
  const [rotated, setRotated] = useState<{ secret: string; keepsOld: boolean } | null>(null)
  const keep = useRef<HTMLSelectElement>(null)
  const ping = (): void =>
    run(PingWebhookDocument, { id, exampleOf: draft.testEvent || null }, ({ pingWebhook }) =>
      navigate(`/webhooks/${id}/deliveries/${pingWebhook.id}`),
    )
  const setActive = (next: boolean): void =>
    run(UpdateWebhookDocument, { id, input: { active: next } }, () =>
      next
        ? 'The webhook is active. Recover the deliveries that it missed.'
        : 'The webhook is paused. Nothing is sent to it.',
    )
  const recover = (): void => {
    const since = new Date(Date.now() - 7 * DAY_MS).toISOString()
    run(
      RecoverWebhookDocument,
      { id, since },
      ({ recoverWebhook: { recovered, more } }) =>
        `${sentAgain(recovered)}${more ? ' There are more: recover again.' : ''}`,
    )
  }
  const rotate = (): void => {
    const keepPreviousHours = Number(keep.current?.value)
    run(RotateWebhookSecretDocument, { id, keepPreviousHours }, ({ rotateWebhookSecret: { secret } }) => {
      setRotated({ secret, keepsOld: keepPreviousHours > 0 })
      return 'The secret was replaced.'
    })
  }
  const remove = (): void => run(DeleteWebhookDocument, { id }, () => navigate('/webhooks'))
  const keepOld = <Select ref={keep} label="Keep the old secret" options={KEEP} />
  return (
    <Section
      title="Actions"
      lead="A test event is a ping, or an example of an event. Recover sends the failed and cancelled deliveries of 7 days again."
    >
      <div className="row">
        <Select label="Test event" options={TEST_EVENTS} {...field('testEvent')} />
        <Button look="primary" busy={busy} disabled={!active} onClick={ping}>
          Send test event
        </Button>
        <Button busy={busy} disabled={!active} onClick={recover}>
          Recover failed deliveries
        </Button>
        <Button
          look={active ? 'plain' : 'primary'}
          busy={busy}
          onClick={() => (active ? ask({ ...PAUSE, onConfirm: () => setActive(false) }) : setActive(true))}
        >
          {active ? 'Pause' : 'Activate'}
        </Button>
        <Button busy={busy} onClick={() => ask({ ...ROTATE, content: keepOld, onConfirm: rotate })}>
          Rotate secret
        </Button>
        <Button look="danger" busy={busy} onClick={() => ask({ ...DELETE, onConfirm: remove })}>
          Delete
        </Button>
      </div>
      {outcome}
      {rotated && (
        <SecretDialog
          title={rotated.keepsOld ? 'Store the new secret beside the old one' : 'Store the new secret'}
          webhookId={id}
          {...rotated}
          onStored={() => setRotated(null)}
        />
      )}
    </Section>
  )
}

const TEST_EVENTS = [
  { value: '', label: 'Ping' },
  ...EVENT_TYPES.map((type) => ({ value: type, label: `Example: ${eventTitle(type)}` })),
]

/** For how many hours. The first one is safe. */
const KEEP = [
  { value: '24', label: 'For a day' },
  { value: '168', label: 'For 7 days' },
  { value: '0', label: 'No, it ends at once' },
]

const PAUSE = {
  title: 'Pause this webhook?',
  text: 'All waiting deliveries are cancelled. After you activate it again, you can recover them for 7 days.',
  label: 'Pause webhook',
}
const ROTATE = {
  title: 'Rotate the secret?',
  text: 'If the old secret ends at once, your receiver refuses requests until it has the new one. They are repeated. If you keep it, requests are signed with both: let your receiver accept either of them.',
  label: 'Rotate secret',
}
const DELETE = {
  title: 'Delete this webhook?',
  text: 'Its deliveries are cancelled and its log is removed. This cannot be undone.',
  label: 'Delete webhook',
}
