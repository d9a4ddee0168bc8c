import { useQuery } from 'urql'
import { apiUrl } from '../../api/base.ts'
import { ConsoleInfoDocument } from '../../api/service.generated.ts'
import type { WebhookEventType } from '../../events/events.generated.ts'
import { EVENT_GROUPS, eventTitle } from '../../events/types.ts'
import { formStyles } from '../../form/form.tsx'
import { Button, Input } from '../../ui/index.ts'
import css from './page.module.css'

/** What an owner chooses for a webhook, as it is typed. */
export interface WebhookDraft {
  readonly url: string
  /** Empty: all agents. */
  readonly agent: string
  readonly types: readonly WebhookEventType[]
}

/** Null for no agent, and for an address. */
export const checkAgent = (agent: string): string | null =>
  agent === '' || /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(agent)
    ? null
    : 'Enter the address of an agent: 32 to 44 letters and digits.'

export const isComplete = ({ url, agent, types }: WebhookDraft): boolean =>
  url.trim() !== '' && checkAgent(agent.trim()) === null && types.length > 0

interface WebhookFieldsProps {
  readonly draft: WebhookDraft
  readonly onChange: (draft: WebhookDraft) => void
  /** Shows what is missing. */
  readonly isChecked: boolean
}

export function WebhookFields({ draft, onChange, isChecked }: WebhookFieldsProps) {
  const { url, agent, types } = draft
  const [{ data }] = useQuery({ query: ConsoleInfoDocument })
  const receiver = data?.info.localnetReceiver ?? null
  const choose = (type: WebhookEventType, isChosen: boolean): void =>
    onChange({ ...draft, types: isChosen ? [...types, type] : types.filter((each) => each !== type) })
  return (
    <>
      <Input
        label="Receiver URL"
        type="url"
        inputMode="url"
        autoComplete="off"
        placeholder="https://example.org/events"
        hint={receiver === null ? 'An https URL of a public host.' : 'An http or https URL.'}
        value={url}
        error={isChecked && url.trim() === '' ? 'Enter the URL of your receiver.' : null}
        onChange={({ target }) => onChange({ ...draft, url: target.value })}
      />
      {receiver !== null && (
        <p>
          <Button small onClick={() => onChange({ ...draft, url: apiUrl(receiver) })}>
            Use the receiver of this localnet
          </Button>
        </p>
      )}
      <Input
        label="Only events of this agent (optional)"
        autoComplete="off"
        spellCheck="false"
        hint="The address of an agent. Without it you get the events of all agents."
        value={agent}
        error={isChecked ? checkAgent(agent.trim()) : null}
        onChange={({ target }) => onChange({ ...draft, agent: target.value })}
      />
      {EVENT_GROUPS.map((group) => (
        <fieldset key={group.title} className={formStyles.choices}>
          <legend>{group.title}</legend>
          <div className={css.types}>
            {group.types.map((type) => (
              <label key={type} className={formStyles.choice}>
                <input
                  type="checkbox"
                  checked={types.includes(type)}
                  onChange={({ target }) => choose(type, target.checked)}
                />
                {eventTitle(type)}
              </label>
            ))}
          </div>
        </fieldset>
      ))}
      {isChecked && types.length === 0 && (
        <p className={formStyles.bad} role="alert">
          Choose at least one event.
        </p>
      )}
    </>
  )
}
