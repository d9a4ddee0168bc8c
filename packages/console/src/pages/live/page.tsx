import { useMemo, useState } from 'react'
import { useSearchParams } from 'wouter'
import { LiveEventsDocument } from '../../events/events.generated.ts'
import { DISTINCT_TYPES, eventText } from '../../events/types.ts'
import { Button, Page } from '../../ui/index.ts'
import { FeedView } from './feed-view.tsx'
import { type FeedFilter, readFilter } from './filter.ts'
import { FilterBar } from './filter-bar.tsx'

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
