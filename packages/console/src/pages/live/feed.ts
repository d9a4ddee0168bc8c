import { useEffect, useEffectEvent, useReducer, useRef, useState } from 'react'
import { useClient } from 'urql'
import { enumName } from '../../api/enums.ts'
import {
  type EventFieldsFragment,
  type FeedPageFragment,
  LiveEventsDocument,
  LiveOlderDocument,
  LiveStartDocument,
  type WebhookEventType,
} from '../../events/events.generated.ts'
import type { ListedEvent } from '../../events/event-list.tsx'
import { EVENT_TYPES } from '../../events/types.ts'
import { ADDRESS } from '../../shell/find.ts'
import { useVisible } from '../../ui/polling.ts'
import { withFilter } from '../agents/filters.ts'

export interface FeedFilter {
  /** Undefined: all types. */
  readonly types?: WebhookEventType[]
  readonly agentPda?: string
}

/** The filter in the URL, also in texts such as `agent.updated`. What is unknown is left out. */
export function readFilter(search: URLSearchParams): FeedFilter {
  const given = new Set((search.get('types') ?? '').split(',').map(enumName))
  const types = EVENT_TYPES.filter((type) => given.has(type))
  const agent = search.get('agent') ?? ''
  return { ...(types.length > 0 && { types }), ...(ADDRESS.test(agent) && { agentPda: agent }) }
}

/** The search parameters with a type added or removed. */
export function withType(search: URLSearchParams, type: WebhookEventType): URLSearchParams {
  const { types = [] } = readFilter(search)
  const next = types.includes(type) ? types.filter((each) => each !== type) : [...types, type]
  return withFilter(search, { types: next.join(',') })
}

/** The stream begins again after so many events, so that a reconnection repeats only a few. */
const RENEW_AFTER = 100
const FRESH = { requestPolicy: 'network-only' } as const

/**
 * The recent events, and then each new one. Another filter needs another component, with a key.
 * `hold` is asked for each event: true keeps it back.
 */
export function useFeed(filter: FeedFilter, hold: () => boolean) {
  const client = useClient()
  const isVisible = useVisible()
  const [state, dispatch] = useReducer(feedReducer, NO_EVENTS)
  const [phase, setPhase] = useState<{ isLoading: boolean; error: unknown }>({ isLoading: true, error: null })
  /** Where the stream continues. Null: it has no event to begin after. Undefined: not known yet. */
  const [start, setStart] = useState<string | null | undefined>()
  const last = useRef<string | null>(null)
  const shouldHold = useEffectEvent(hold)

  useEffect(() => {
    let isCurrent = true
    const begin = async (): Promise<void> => {
      const { data, error } = await client.query(LiveStartDocument, { filter }, FRESH)
      if (!isCurrent) return
      setPhase({ isLoading: false, error: error ?? null })
      if (data === undefined) return
      dispatch({ kind: 'started', page: data.registryEvents })
      last.current = data.newest.nodes[0]?.id ?? null
      setStart(last.current)
    }
    void begin()
    return () => {
      isCurrent = false
    }
  }, [client, filter])

  useEffect(() => {
    if (start === undefined || !isVisible) return undefined
    let received = 0
    const variables = { filter, after: last.current }
    const stream = client.subscription(LiveEventsDocument, variables).subscribe(({ data, error }) => {
      const event = data?.registryEvents
      if (!event) {
        if (error !== undefined) setPhase({ isLoading: false, error })
        return
      }
      last.current = event.id
      received += 1
      dispatch({ kind: 'arrived', event, hold: shouldHold() })
      if (received === RENEW_AFTER) setStart(event.id)
    })
    return () => stream.unsubscribe()
  }, [client, filter, start, isVisible])

  /** Returns its error. */
  const loadOlder = async (): Promise<unknown> => {
    const variables = { filter, after: state.olderThan }
    const { data, error } = await client.query(LiveOlderDocument, variables, FRESH)
    if (data !== undefined) dispatch({ kind: 'older', page: data.registryEvents })
    return error
  }
  /** Shows the events that wait. */
  const release = (): void => dispatch({ kind: 'released' })
  return { ...state, ...phase, release, loadOlder }
}

/** Newest first. */
export interface FeedState {
  readonly shown: readonly ListedEvent[]
  /** Events that arrived while the reader did not want the list to change. */
  readonly held: readonly ListedEvent[]
  /** Where older events begin. Null if there are none. */
  readonly olderThan: string | null
}

type FeedAction =
  | { readonly kind: 'started' | 'older'; readonly page: FeedPageFragment }
  | { readonly kind: 'arrived'; readonly event: EventFieldsFragment; readonly hold: boolean }
  | { readonly kind: 'released' }

/** A page that is open for days forgets its oldest events. */
const MOST = 2_000

export const NO_EVENTS: FeedState = { shown: [], held: [], olderThan: null }

export function feedReducer(state: FeedState, action: FeedAction): FeedState {
  switch (action.kind) {
    case 'started':
      return { ...NO_EVENTS, shown: action.page.nodes, olderThan: cursorOf(action.page) }
    case 'older': {
      const known = new Set(state.shown.map(({ id }) => id))
      const more = action.page.nodes.filter(({ id }) => !known.has(id))
      return { ...state, shown: [...state.shown, ...more], olderThan: cursorOf(action.page) }
    }
    case 'arrived': {
      const event = { ...action.event, isFresh: true }
      // After a lost connection, and after a fork of the ledger, an event can arrive twice.
      const isKnown = ({ id }: ListedEvent): boolean => id === event.id
      if (state.shown.some(isKnown) || state.held.some(isKnown)) return state
      // Events that wait keep their order: a newer one waits behind them.
      if (action.hold || state.held.length > 0)
        return { ...state, held: [event, ...state.held].slice(0, MOST) }
      return limited({ ...state, shown: [event, ...state.shown] })
    }
    default:
      return limited({ ...state, shown: [...state.held, ...state.shown], held: [] })
  }
}

/** Without the oldest events, older ones would leave a gap, so they cannot be loaded any more. */
function limited(state: FeedState): FeedState {
  return state.shown.length <= MOST ? state : { ...state, shown: state.shown.slice(0, MOST), olderThan: null }
}

const cursorOf = ({ pageInfo }: FeedPageFragment): string | null =>
  pageInfo.hasNextPage ? pageInfo.endCursor : null
