import { memo, useEffect, useRef, useState } from 'react'
import { Address, Badge, classes, Link, RelativeTime, type Tone, withCommas } from '../ui/index.ts'
import { describeEvent } from './describe.ts'
import css from './event-list.module.css'
import type { EventFieldsFragment, WebhookEventType } from './events.generated.ts'
import { eventTitle } from './types.ts'

const TONES: Partial<Record<WebhookEventType, Tone>> = {
  AGENT_REGISTERED: 'accent',
  AGENT_REACTIVATED: 'good',
  AGENT_SUSPENDED: 'warn',
  AGENT_DEACTIVATED: 'bad',
  AGENT_CLOSED: 'bad',
}

/** `isFresh`: it arrived while the reader watched. */
export type ListedEvent = EventFieldsFragment & { readonly isFresh?: boolean }

interface EventListProps {
  /** For screen readers. */
  readonly label: string
  readonly events: readonly ListedEvent[]
  /** Shows which agent each event is about. */
  readonly withAgent?: boolean
}

/** In a longer list, rows far from the view are empty, so that the page stays quick. */
const WHOLE = 200
const FAR = '1500px 0px'

/** Events of the registry in words, each with its agent and its transaction. */
export function EventList({ label, events, withAgent = false }: EventListProps) {
  const isLong = events.length > WHOLE
  return (
    // Safari takes the role from lists without bullets.
    // oxlint-disable-next-line jsx-a11y/no-redundant-roles
    <ol className={classes('card', css.list)} role="list" aria-label={label}>
      {events.map((event) => (
        <EventRow key={event.id} event={event} withAgent={withAgent} canBeEmpty={isLong} />
      ))}
    </ol>
  )
}

interface EventRowProps {
  readonly event: ListedEvent
  readonly withAgent: boolean
  readonly canBeEmpty: boolean
}

/** A new event must not render all rows of a long list. */
const EventRow = memo(function EventRow({ event, withAgent, canBeEmpty }: EventRowProps) {
  const { ref, height } = useFar(canBeEmpty)
  if (height !== null) return <li ref={ref} className={css.row} style={{ height }} />
  return (
    <li ref={ref} className={css.row} data-fresh={event.isFresh}>
      <span className={css.type}>
        <Badge tone={TONES[event.type] ?? 'neutral'}>{eventTitle(event.type)}</Badge>
      </span>
      <div className={css.text}>
        {withAgent && <Agent event={event} />}
        <p>{describeEvent(event)}</p>
      </div>
      <span className={css.time}>
        <RelativeTime value={event.timestamp} />
      </span>
      <span className={classes('note', css.place)}>
        {event.signature === null ? (
          <span>Transaction unknown</span>
        ) : (
          <Link href={`/tx/${event.signature}`} title={event.signature}>
            Transaction <span className={css.signature}>{event.signature.slice(0, 5)}…</span>
          </Link>
        )}
        <span>Slot {withCommas(event.slot)}</span>
      </span>
    </li>
  )
})

const watched = new WeakMap<Element, (height: number | null) => void>()
/** One for all rows. A row with the focus stays, however far it is. */
const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting, boundingClientRect } of entries) {
      const isKept = isIntersecting || target.contains(document.activeElement)
      watched.get(target)?.(isKept ? null : boundingClientRect.height)
    }
  },
  { rootMargin: FAR },
)

/** The height that a row had, in pixels, while it is far from the view. Else null. */
function useFar(isWatched: boolean) {
  const ref = useRef<HTMLLIElement>(null)
  const [height, setHeight] = useState<number | null>(null)
  useEffect(() => {
    const row = ref.current
    if (row === null || !isWatched) return undefined
    watched.set(row, setHeight)
    observer.observe(row)
    return () => {
      observer.unobserve(row)
      setHeight(null)
    }
  }, [isWatched])
  return { ref, height }
}

function Agent({ event }: { readonly event: EventFieldsFragment }) {
  const { agentName, agentPda } = event
  return (
    <span className={css.agent}>
      <Link className="plain" href={`/agents/${agentPda}`}>
        {agentName ?? ('name' in event ? event.name : 'Closed agent')}
      </Link>
      <Address value={agentPda} label="agent address" />
    </span>
  )
}
