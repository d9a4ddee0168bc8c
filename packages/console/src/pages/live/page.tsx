import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { useSearchParams } from 'wouter'
import { useSocket } from '../../api/connection.ts'
import { EventList } from '../../events/event-list.tsx'
import { LiveEventsDocument, LiveOlderDocument } from '../../events/events.generated.ts'
import { DISTINCT_TYPES, EVENT_TYPES, eventText, eventTitle } from '../../events/types.ts'
import { checkAgent } from '../../form/checks.ts'
import { Export } from '../../ui/export.tsx'
import { Button, classes, Empty, ErrorState, Input, Loading, Page, Toggles } from '../../ui/index.ts'
import { useDebounced, useTyped } from '../../ui/reads.ts'
import { Light, plural } from '../../ui/values.ts'
import { withFilter } from '../agents/filters.ts'
import { type FeedFilter, readFilter, useFeed, withType } from './feed.ts'
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
      <FilterBar filter={chosen} />
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

const WAIT_MS = 200

function FilterBar({ filter: { types, agentPda = '' } }: { readonly filter: FeedFilter }) {
  const [search, setSearch] = useSearchParams()
  const change = (next: URLSearchParams): void => setSearch(next, { replace: true })
  const typed = useTyped(agentPda, WAIT_MS, (text) => {
    if (checkAgent(text.trim()) === null) change(withFilter(search, { agent: text.trim() }))
  })
  const settled = useDebounced(typed.value, WAIT_MS)
  return (
    <div className="stack">
      <Toggles
        label="Event types"
        toggles={[
          {
            key: 'all',
            content: 'All events',
            pressed: types === undefined,
            onClick: () => change(withFilter(search, { types: '' })),
          },
          ...EVENT_TYPES.map((type) => ({
            key: type,
            content: eventTitle(type),
            pressed: types?.includes(type) === true,
            onClick: () => change(withType(search, type)),
          })),
        ]}
      />
      <div className="grid">
        <Input
          label="Only this agent"
          type="search"
          placeholder="Address of an agent"
          autoComplete="off"
          spellCheck="false"
          error={checkAgent(settled.trim())}
          {...typed}
        />
      </div>
    </div>
  )
}

interface FeedViewProps {
  readonly filter: FeedFilter
  readonly isPaused: boolean
  readonly onReset: () => void
  readonly onRestart: () => void
}

/** The list of events, which does not move while somebody reads it. */
function FeedView({ filter, isPaused, onReset, onRestart }: FeedViewProps) {
  const list = useRef<HTMLDivElement>(null)
  const feed = useFeed(filter, () => isPaused || isReading(list.current))
  const [older, setOlder] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false })
  const { shown, error } = feed
  const release = useEffectEvent(feed.release)
  useEffect(() => {
    if (!isPaused) release()
  }, [isPaused])
  const show = (): void => {
    feed.release()
    scrollTo({ top: 0 })
  }
  const loadOlder = async (): Promise<void> => {
    setOlder({ isBusy: true })
    setOlder({ isBusy: false, error: await feed.loadOlder() })
  }
  return (
    <>
      <Status feed={feed} isPaused={isPaused} onShow={show} />
      <div ref={list} className="stack">
        {error !== null && <ErrorState error={error} retry={onRestart} />}
        {feed.isLoading && <Loading rows={10} label="Loading recent events" />}
        {!feed.isLoading && error === null && shown.length === 0 && (
          <Empty title="No such event so far">
            <p>New events appear here by themselves. Another filter may show more.</p>
            <Button onClick={onReset}>Show all events</Button>
          </Empty>
        )}
        {shown.length > 0 && (
          <>
            <EventList label="Events" events={shown} withAgent />
            {older.error !== undefined && <ErrorState error={older.error} retry={() => void loadOlder()} />}
            <div className="spread hint">
              {feed.olderThan !== null && (
                <Button busy={older.isBusy} onClick={() => void loadOlder()}>
                  Show older events
                </Button>
              )}
              <Export name="events" query={LiveOlderDocument} variables={{ filter }} />
            </div>
          </>
        )}
      </div>
    </>
  )
}

/** Somebody who scrolled down or has the focus in the list must not lose the place. */
function isReading(list: HTMLElement | null): boolean {
  if (list === null) return false
  return list.getBoundingClientRect().top < 0 || list.contains(document.activeElement)
}

interface StatusProps {
  readonly feed: ReturnType<typeof useFeed>
  readonly isPaused: boolean
  readonly onShow: () => void
}

function Status({ feed, isPaused, onShow }: StatusProps) {
  const isConnected = useSocket()
  const count = feed.held.length
  const events = plural(count, 'new event')
  const [tone, text] = isPaused
    ? (['warn', 'Paused'] as const)
    : feed.error !== null
      ? (['bad', 'Stopped'] as const)
      : feed.isLoading
        ? (['neutral', 'Loading'] as const)
        : isConnected
          ? (['good', 'Live'] as const)
          : (['warn', 'Reconnecting'] as const)
  return (
    <div className={classes('row', css.status)}>
      <Light tone={tone} text={text} />
      <span role="status" className="visually-hidden">
        {count > 0 && events}
      </span>
      {count > 0 && (
        <Button look="primary" small onClick={onShow}>
          Show {events}
        </Button>
      )}
    </div>
  )
}
