import { useState } from 'react'
import { useMutation } from 'urql'
import { useLocation, useSearchParams } from 'wouter'
import { EVENT_TYPES } from '../../events/types.ts'
import { nextStep } from '../../routes.ts'
import { Section } from '../../ui/index.ts'
import { CreateWebhookDocument, type CreateWebhookInput } from './page.generated.ts'
import { SecretDialog } from './secret-dialog.tsx'
import { WebhookForm } from './webhook-form.tsx'

export function CreateWebhook() {
  const [search] = useSearchParams()
  const agent = search.get('agent')
  const given = {
    url: '',
    agent: agent ?? '',
    types: agent === null ? (['AGENT_REGISTERED'] as const) : EVENT_TYPES,
  }
  const [{ data, error, fetching }, create] = useMutation(CreateWebhookDocument)
  const [secret, setSecret] = useState<string | null>(null)
  const [, navigate] = useLocation()
  const submit = async (input: CreateWebhookInput): Promise<void> => {
    const result = await create({ input })
    setSecret(result.data?.createWebhook.secret ?? null)
  }
  const id = data?.createWebhook.id ?? ''
  return (
    <Section title="Create a webhook" lead="The gateway sends each chosen event to your URL within seconds.">
      <WebhookForm
        label="Create a webhook"
        action="Create webhook"
        given={given}
        busy={fetching}
        error={error}
        onSubmit={(input) => void submit(input)}
      />
      <SecretDialog
        title="Store the secret of the webhook"
        webhookId={id}
        secret={secret}
        onStored={() => {
          setSecret(null)
          navigate(nextStep(search)?.to ?? `/webhooks/${id}`)
        }}
      />
    </Section>
  )
}
