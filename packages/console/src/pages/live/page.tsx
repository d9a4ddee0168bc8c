import { type FormEvent, useMemo, useState } from 'react'
import { useSearchParams } from 'wouter'
import { LiveEventsDocument } from '../../events/events.generated.ts'
import { DISTINCT_TYPES, EVENT_TYPES, eventText, eventTitle } from '../../events/types.ts'
import { Button, Input, Page, Toggles } from '../../ui/index.ts'
import { FeedView } from './feed-view.tsx'
import { type FeedFilter, readFilter, withType, withTypes } from './filter.ts'
import { checkAgent } from '../../form/checks.ts'
import { useDraft } from '../../form/use-draft.ts'
import { withFilter } from '../agents/filters.ts'
import css from './page.module.css'

export default function LivePage() {
  const [search, setSearch] = useSearchParams()
  const [isPaused, setPaused] = useState(false)
  const [run, setRun] = useState(0)
  const text = search.toString()
  const chosen = useMemo(() => readFilter(new URLSearchParams(text)), [text])
  const filter = useMemo(() => ({ types: DISTINCT_TYPES, ...chosen }), [chosen])
  return (
    <Page
      title="Live events"
      lead="What happens in the registry, as the gateway reads it from the ledger."
      request={{ document: LiveEventsDocument, variables: { filter }, client: exampleFor(chosen) }}
      actions={
        <Button aria-pressed={isPaused} onClick={() => setPaused((now) => !now)}>
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
      }
    >
      <FilterBar search={search} onChange={(next) => setSearch(next, { replace: true })} />
      <FeedView
        key={`${text} ${run}`}
        filter={filter}
        isPaused={isPaused}
        onReset={() => setSearch(new URLSearchParams())}
        onRestart={() => setRun((now) => now + 1)}
      />
    </Page>
  )
}

function exampleFor({ types, agentPda }: FeedFilter): string {
  const options = JSON.stringify({ types: types?.map(eventText), agent: agentPda })
  return `for await (const event of registry.events(${options === '{}' ? '' : options}))
  console.log(event.type, event.agentPda, event.data)`
}

interface FilterBarProps {
  readonly search: URLSearchParams
  readonly onChange: (search: URLSearchParams) => void
}

function FilterBar({ search, onChange }: FilterBarProps) {
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
