import { useQuery } from 'urql'
import { apiUrl } from '../../api/base.ts'
import { ConsoleInfoDocument } from '../../api/service.generated.ts'
import type { WebhookEventType } from '../../events/events.generated.ts'
import { EVENT_GROUPS, eventTitle } from '../../events/types.ts'
import { Choice, Choices } from '../../form/form.tsx'
import { ADDRESS } from '../../shell/find.ts'
import { Button, Input } from '../../ui/index.ts'

/** What an owner chooses for a webhook, as it is typed. */
export interface WebhookDraft {
  readonly url: string
  /** Empty: all agents. */
  readonly agent: string
  readonly types: readonly WebhookEventType[]
}

export const isComplete = ({ url, agent, types }: WebhookDraft): boolean =>
  url.trim() !== '' && (agent.trim() === '' || ADDRESS.test(agent.trim())) && types.length > 0

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
        error={
          isChecked && agent.trim() !== '' && !ADDRESS.test(agent.trim())
            ? 'Enter the address of an agent: 32 to 44 letters and digits.'
            : null
        }
        onChange={({ target }) => onChange({ ...draft, agent: target.value })}
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
      {isChecked && types.length === 0 && (
        <p className="note bad" role="alert">
          Choose at least one event.
        </p>
      )}
    </>
  )
}
