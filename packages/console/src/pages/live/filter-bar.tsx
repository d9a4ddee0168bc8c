import { type FormEvent, useState } from 'react'
import { EVENT_TYPES, eventTitle } from '../../events/types.ts'
import { Button, Input, Toggles } from '../../ui/index.ts'
import { readFilter, withAgent, withType, withTypes } from './filter.ts'
import css from './page.module.css'

interface FilterBarProps {
  readonly search: URLSearchParams
  readonly onChange: (search: URLSearchParams) => void
}

export function FilterBar({ search, onChange }: FilterBarProps) {
  const { types, agentPda } = readFilter(search)
  return (
    <div className="stack">
      <Toggles
        label="Event types"
        toggles={[
          {
            key: 'all',
            content: 'All events',
            pressed: types === undefined,
            onClick: () => onChange(withTypes(search, [])),
          },
          ...EVENT_TYPES.map((type) => ({
            key: type,
            content: eventTitle(type),
            pressed: types?.includes(type) === true,
            onClick: () => onChange(withType(search, type)),
          })),
        ]}
      />
      <AgentField key={agentPda} search={search} onChange={onChange} />
    </div>
  )
}

function AgentField({ search, onChange }: FilterBarProps) {
  const { agentPda = '' } = readFilter(search)
  const [text, setText] = useState(agentPda)
  const [error, setError] = useState<string | null>(null)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const next = withAgent(search, text)
    if (next === null) setError('This is not an address. It has 32 to 44 letters and digits.')
    else onChange(next)
  }
  return (
    <form className={css.agent} onSubmit={submit}>
      <Input
        label="Only this agent"
        placeholder="Address of an agent"
        autoComplete="off"
        spellCheck="false"
        value={text}
        error={error}
        onChange={({ target }) => {
          setText(target.value)
          setError(null)
        }}
      />
      <Button type="submit" disabled={text.trim() === agentPda}>
        Filter
      </Button>
      {agentPda !== '' && (
        <Button look="quiet" onClick={() => onChange(withAgent(search, '') ?? search)}>
          Clear
        </Button>
      )}
    </form>
  )
}
