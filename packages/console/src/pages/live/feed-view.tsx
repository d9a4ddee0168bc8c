import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useSocket } from '../../api/connection.ts'
import { EventList } from '../../events/event-list.tsx'
import { LiveOlderDocument } from '../../events/events.generated.ts'
import { Export } from '../../ui/export.tsx'
import { Button, classes, Empty, ErrorState, Light, Loading } from '../../ui/index.ts'
import { type Feed, useFeed } from './feed.ts'
import type { FeedFilter } from './filter.ts'
import css from './page.module.css'

interface FeedViewProps {
  readonly filter: FeedFilter
  readonly isPaused: boolean
  readonly onReset: () => void
  readonly onRestart: () => void
}

/** The list of events, which does not move while somebody reads it. */
export function FeedView({ filter, isPaused, onReset, onRestart }: FeedViewProps) {
  const list = useRef<HTMLDivElement>(null)
  const feed = useFeed(filter, () => isPaused || isReading(list.current))
  const release = useEffectEvent(feed.release)
  useEffect(() => {
    if (!isPaused) release()
  }, [isPaused])
  const show = (): void => {
    feed.release()
    scrollTo({ top: 0 })
  }
  return (
    <>
      <Status feed={feed} isPaused={isPaused} onShow={show} />
      <div ref={list} className="stack">
        <Content feed={feed} filter={filter} onReset={onReset} onRestart={onRestart} />
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
  readonly feed: Feed
  readonly isPaused: boolean
  readonly onShow: () => void
}

function Status({ feed, isPaused, onShow }: StatusProps) {
  const isConnected = useSocket()
  const count = feed.held.length
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
    <div className={classes('row', css.status)} data-sticky={count > 0}>
      <Light tone={tone} text={text} />
      <span role="status" className="visually-hidden">
        {count > 0 && `${count} new ${count === 1 ? 'event' : 'events'}`}
      </span>
      {count > 0 && (
        <Button look="primary" small onClick={onShow}>
          Show {count} new {count === 1 ? 'event' : 'events'}
        </Button>
      )}
    </div>
  )
}

type ContentProps = Omit<FeedViewProps, 'isPaused'> & { readonly feed: Feed }

function Content({ feed, filter, onReset, onRestart }: ContentProps) {
  const [isBusy, setBusy] = useState(false)
  if (feed.error !== null && feed.shown.length === 0)
    return <ErrorState error={feed.error} retry={onRestart} />
  if (feed.isLoading) return <Loading rows={10} label="Loading recent events" />
  const loadOlder = async (): Promise<void> => {
    setBusy(true)
    await feed.loadOlder()
    setBusy(false)
  }
  return (
    <>
      {feed.error !== null && <ErrorState error={feed.error} retry={onRestart} />}
      {feed.shown.length === 0 ? (
        <Empty title="No such event so far">
          <p>New events appear here by themselves. Another filter may show more.</p>
          <Button onClick={onReset}>Show all events</Button>
        </Empty>
      ) : (
        <>
          <EventList label="Events" events={feed.shown} withAgent fresh={feed.fresh} />
          <div className="spread hint">
            {feed.olderThan !== null && (
              <Button busy={isBusy} onClick={() => void loadOlder()}>
                Show older events
              </Button>
            )}
            <Export name="events" query={LiveOlderDocument} variables={{ filter }} />
          </div>
        </>
      )}
    </>
  )
}
