import type { EventFieldsFragment, FeedPageFragment } from '../../events/events.generated.ts'
import type { LiveNameQuery } from './page.generated.ts'

type FeedAgent = LiveNameQuery['agent']

/** `agent` is undefined until it was read, and null if it is closed. */
export type FeedEvent = EventFieldsFragment & { readonly agent?: FeedAgent }

/** Newest first. */
export interface FeedState {
  readonly shown: readonly FeedEvent[]
  /** Events that arrived while the reader did not want the list to change. */
  readonly held: readonly FeedEvent[]
  /** The ids of events that arrived while the reader watched. */
  readonly fresh: ReadonlySet<string>
  /** Where older events begin. Null if there are none. */
  readonly olderThan: string | null
}

type FeedAction =
  | { readonly kind: 'started' | 'older'; readonly page: FeedPageFragment }
  | { readonly kind: 'arrived'; readonly event: FeedEvent; readonly hold: boolean }
  | { readonly kind: 'named'; readonly pda: string; readonly agent: FeedAgent }
  | { readonly kind: 'released' }

/** A page that is open for days forgets its oldest events. */
const MOST = 2_000

export const NO_EVENTS: FeedState = { shown: [], held: [], fresh: new Set(), olderThan: null }

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
      const { hold } = action
      // After a lost connection, and after a fork of the ledger, an event can arrive twice.
      const isKnown = (each: FeedEvent): boolean => each.id === action.event.id
      if (state.shown.some(isKnown) || state.held.some(isKnown)) return state
      const event = withKnownAgent(action.event, state)
      // Events that wait keep their order: a newer one waits behind them.
      if (hold || state.held.length > 0) return { ...state, held: [event, ...state.held].slice(0, MOST) }
      return limited({ ...state, shown: [event, ...state.shown], fresh: new Set(state.fresh).add(event.id) })
    }
    case 'named': {
      const { pda, agent } = action
      const name = (each: FeedEvent): FeedEvent =>
        each.agent === undefined && each.agentPda === pda ? { ...each, agent } : each
      return { ...state, shown: state.shown.map(name), held: state.held.map(name) }
    }
    default: {
      const fresh = new Set(state.held.map(({ id }) => id))
      return limited({ ...state, shown: [...state.held, ...state.shown], held: [], fresh })
    }
  }
}

/** Without the oldest events, older ones would leave a gap, so they cannot be loaded any more. */
function limited(state: FeedState): FeedState {
  if (state.shown.length <= MOST) return state
  const shown = state.shown.slice(0, MOST)
  const fresh = new Set(shown.flatMap(({ id }) => (state.fresh.has(id) ? id : [])))
  return { ...state, shown, fresh, olderThan: null }
}

function withKnownAgent(event: FeedEvent, { held, shown }: FeedState): FeedEvent {
  const isOther =
    ['AGENT_REGISTERED', 'AGENT_CLOSED'].includes(event.type) ||
    ('changes' in event && event.changes.name !== null)
  if (isOther) return event
  const isSame = ({ agentPda, agent }: FeedEvent): boolean =>
    agentPda === event.agentPda && agent !== undefined
  const known = held.find(isSame) ?? shown.find(isSame)
  return known === undefined ? event : { ...event, agent: known.agent ?? null }
}

const cursorOf = ({ pageInfo }: FeedPageFragment): string | null =>
  pageInfo.hasNextPage ? pageInfo.endCursor : null
