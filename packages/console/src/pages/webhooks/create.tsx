import { useState } from 'react'
import { useMutation } from 'urql'
import { useLocation } from 'wouter'
import { EVENT_GROUPS } from '../../events/types.ts'
import { Form, formStyles } from '../../form/form.tsx'
import { Button, ErrorState, Input, Section } from '../../ui/index.ts'
import { CreateWebhookDocument } from './page.generated.ts'
import css from './page.module.css'
import { SecretDialog } from './secret-dialog.tsx'

export function CreateWebhook() {
  const [url, setUrl] = useState('')
  const [agent, setAgent] = useState('')
  const [types, setTypes] = useState<readonly string[]>(['agent.registered'])
  const [checked, setChecked] = useState(false)
  const [{ data, error, fetching }, create] = useMutation(CreateWebhookDocument)
  const [secret, setSecret] = useState<string | null>(null)
  const [, navigate] = useLocation()
  const problem = url.trim() === '' ? 'Enter the URL of your receiver. It must use https.' : null
  const submit = async (): Promise<void> => {
    setChecked(true)
    if (problem !== null || types.length === 0) return
    const input = {
      url: url.trim(),
      eventTypes: [...types],
      ...(agent.trim() !== '' && { filterAgentPda: agent.trim() }),
    }
    const result = await create({ input })
    setSecret(result.data?.createWebhook.secret ?? null)
  }
  const choose = (type: string, isChosen: boolean): void =>
    setTypes(isChosen ? [...types, type] : types.filter((each) => each !== type))
  const id = data?.createWebhook.id ?? ''
  return (
    <Section title="Create a webhook" lead="The gateway sends each chosen event to your URL within seconds.">
      <Form label="Create a webhook" onSubmit={() => void submit()}>
        <Input
          label="Receiver URL"
          type="url"
          inputMode="url"
          autoComplete="off"
          placeholder="https://example.org/events"
          hint="An https URL of a public host."
          value={url}
          error={checked ? problem : null}
          onChange={({ target }) => setUrl(target.value)}
        />
        <Input
          label="Only events of this agent (optional)"
          autoComplete="off"
          spellCheck={false}
          hint="The address of an agent. Without it you get the events of all agents."
          value={agent}
          onChange={({ target }) => setAgent(target.value)}
        />
        {EVENT_GROUPS.map((group) => (
          <fieldset key={group.title} className={formStyles.choices}>
            <legend>{group.title}</legend>
            <div className={css.types}>
              {Object.entries(group.types).map(([type, title]) => (
                <label key={type} className={formStyles.choice}>
                  <input
                    type="checkbox"
                    checked={types.includes(type)}
                    onChange={({ target }) => choose(type, target.checked)}
                  />
                  {title}
                </label>
              ))}
            </div>
          </fieldset>
        ))}
        {checked && types.length === 0 && (
          <p className={formStyles.bad} role="alert">
            Choose at least one event.
          </p>
        )}
        {error !== undefined && <ErrorState error={error} />}
        <div className={css.buttons}>
          <Button type="submit" look="primary" busy={fetching}>
            Create webhook
          </Button>
        </div>
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
