import { useState } from 'react'
import { useMutation } from 'urql'
import { useLocation, useSearchParams } from 'wouter'
import { EVENT_TYPES } from '../../events/types.ts'
import { Form } from '../../form/form.tsx'
import { Button, ErrorState, Section } from '../../ui/index.ts'
import { isComplete, type WebhookDraft, WebhookFields } from './fields.tsx'
import { CreateWebhookDocument } from './page.generated.ts'
import { SecretDialog } from './secret-dialog.tsx'

export function CreateWebhook() {
  const [search] = useSearchParams()
  const agent = search.get('agent')
  const [draft, setDraft] = useState<WebhookDraft>({
    url: '',
    agent: agent ?? '',
    types: agent === null ? ['AGENT_REGISTERED'] : EVENT_TYPES,
  })
  const [isChecked, setChecked] = useState(false)
  const [{ data, error, fetching }, create] = useMutation(CreateWebhookDocument)
  const [secret, setSecret] = useState<string | null>(null)
  const [, navigate] = useLocation()
  const submit = async (): Promise<void> => {
    setChecked(true)
    if (!isComplete(draft)) return
    const filter = draft.agent.trim()
    const input = {
      url: draft.url.trim(),
      eventTypes: [...draft.types],
      ...(filter !== '' && { filterAgentPda: filter }),
    }
    const result = await create({ input })
    setSecret(result.data?.createWebhook.secret ?? null)
  }
  const id = data?.createWebhook.id ?? ''
  return (
    <Section title="Create a webhook" lead="The gateway sends each chosen event to your URL within seconds.">
      <Form label="Create a webhook" onSubmit={() => void submit()}>
        <WebhookFields draft={draft} onChange={setDraft} isChecked={isChecked} />
        {error !== undefined && <ErrorState error={error} />}
        <Button type="submit" look="primary" busy={fetching}>
          Create webhook
        </Button>
      </Form>
      <SecretDialog
        title="Store the secret of the webhook"
        webhookId={id}
        secret={secret}
        onStored={() => {
          setSecret(null)
          navigate(`/webhooks/${id}`)
        }}
      />
    </Section>
  )
}
