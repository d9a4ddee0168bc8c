import { useEffect, useEffectEvent, useReducer, useRef, useState } from 'react'
import { useClient } from 'urql'
import { readError } from '../../api/errors.ts'
import { LiveEventsDocument, LiveOlderDocument, LiveStartDocument } from '../../events/events.generated.ts'
import { useVisible } from '../../ui/index.ts'
import { feedReducer, NO_EVENTS } from './feed-state.ts'
import type { FeedFilter } from './filter.ts'
import { LiveNameDocument } from './page.generated.ts'

export type Feed = ReturnType<typeof useFeed>

/** The stream begins again after so many events, so that a reconnection repeats only a few. */
const RENEW_AFTER = 100
/** In a stream, each event with its agent costs a unit. Many events must not use up all units. */
const NAME_EVERY_MS = 500

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
      const request = client.query(LiveStartDocument, { filter }, { requestPolicy: 'network-only' })
      const { data, error } = await request.toPromise()
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

  const unnamed = state.shown.findLast(({ agent }) => agent === undefined)
  useEffect(() => {
    if (unnamed === undefined || !isVisible) return undefined
    const pda = unnamed.agentPda
    const read = async (): Promise<void> => {
      const request = client.query(LiveNameDocument, { pda }, { requestPolicy: 'network-only' })
      const { data, error } = await request.toPromise()
      const isClosed = error !== undefined && readError(error).code === 'AGENT_NOT_FOUND'
      const agent = data?.agent ?? (isClosed ? null : { pda, name: 'Agent' })
      dispatch({ kind: 'named', pda, agent })
    }
    const timer = setTimeout(() => void read(), NAME_EVERY_MS)
    return () => clearTimeout(timer)
  }, [client, unnamed, isVisible])

  const loadOlder = async (): Promise<void> => {
    const variables = { filter, after: state.olderThan }
    const request = client.query(LiveOlderDocument, variables, { requestPolicy: 'network-only' })
    const { data, error } = await request.toPromise()
    if (data !== undefined) dispatch({ kind: 'older', page: data.registryEvents })
    else setPhase({ isLoading: false, error })
  }
  /** Shows the events that wait. */
  const release = (): void => dispatch({ kind: 'released' })
  return { ...state, ...phase, release, loadOlder }
}
