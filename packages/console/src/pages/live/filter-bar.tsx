import type { FormEvent } from 'react'
import { EVENT_TYPES, eventTitle } from '../../events/types.ts'
import { checkAgent } from '../../form/checks.ts'
import { useDraft } from '../../form/use-draft.ts'
import { Button, Input, Toggles } from '../../ui/index.ts'
import { withFilter } from '../agents/filters.ts'
import { readFilter, withType, withTypes } from './filter.ts'
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
  const { draft, field, submit } = useDraft({ agent: agentPda }, (given) => ({
    agent: checkAgent(given.agent.trim()),
  }))
  const go = (agent: string): void => onChange(withFilter(search, { agent }))
  const send = (event: FormEvent): void => {
    event.preventDefault()
    void submit(() => go(draft.agent.trim()))
  }
  return (
    <form className={css.agent} onSubmit={send}>
      <Input
        label="Only this agent"
        placeholder="Address of an agent"
        autoComplete="off"
        spellCheck="false"
        {...field('agent')}
      />
      <Button type="submit" disabled={draft.agent.trim() === agentPda}>
        Filter
      </Button>
      {agentPda !== '' && (
        <Button look="quiet" onClick={() => go('')}>
          Clear
        </Button>
      )}
    </form>
  )
}
